import JSON
import Sockets
import StorehouseServer
import Testing

/// A client that reads slowly skips events, and no other client does.
@Suite struct SlowReaderTests {
    @Test(arguments: LoopImplementation.allCases)
    func aSlowReaderSkipsToTheNewestValue(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops, configuration: .with { $0.streams.bufferBytes = 4096 }) { server in
            let session = try await server.session("planner")
            // Long titles make each event large, so that the system's buffers are soon full.
            let title = String(repeating: "x", count: 500)
            let batch = JSONValue.array(
                Array(repeating: ["type": "tasks/add", "payload": ["title": .string(title)]], count: 100))
            _ = try await session.post(batch)
            let slow = try await session.events(receiveBuffer: 4096)
            let fast = try await session.events(query: "?select=/tasks/ids")
            let first = try await slow.state()
            _ = try await fast.state()
            let last = try await fill(session, fast)
            let shown = try await slow.states(upTo: last)
            let revisions = [first.revision ?? -1] + shown.compactMap(\.revision)
            #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 })
            #expect(revisions.last == last)
            // The skipped events are counted.
            let skipped = shown.reduce(0) { $0 + ($1.skipped ?? 0) }
            #expect(skipped > 0)
            #expect(shown.count + skipped <= last - 100)
            #expect(shown.last?.state?["tasks"]?["ids"]?.asArray?.count == 100)
            let samples = try Exposition(try await server.get("/metrics")).samples
            #expect(samples[#"storehouse_events_total{result="merged"}"#] == Double(skipped))
            // The fast stream got 201 events, and the slow one those that it has shown.
            #expect(samples[#"storehouse_events_total{result="sent"}"#] == Double(201 + 1 + shown.count))
        }
    }

    /// Commits far more than the buffers between server and client hold. The fast stream gets each commit.
    private func fill(_ session: LiveSession, _ fast: EventReader) async throws -> Int {
        let client = try session.server.client()
        var last = 100
        for index in 0..<200 {
            let request = session.request(
                "tasks/move", ["id": 1, "index": .integer(index.isMultiple(of: 2) ? 99 : 0)],
                fields: [("Prefer", "return=minimal")])
            #expect(try await client.exchange(request).status == 204)
            last += 1
            #expect(try await fast.state().revision == last)
        }
        return last
    }

    @Test func aSlowReaderOfPatchesSkipsToTheNewestStateAndContinuesWithPatches() async throws {
        try await LiveServer.run(configuration: .with { $0.streams.bufferBytes = 4096 }) { server in
            let session = try await server.session("planner")
            // Titles of few characters with many bytes make large events of small changes.
            _ = try await session.post(.longTasks(15))
            let slow = try await session.events(query: "?changes=patch", receiveBuffer: 4096)
            var state = try await slow.state().state
            for round in 0..<100 {
                let edits = (1...15).map { id -> JSONValue in
                    ["type": "tasks/edit", "payload": ["id": .integer(id), "isDone": .bool(round.isMultiple(of: 2))]]
                }
                #expect(try await session.post(.array(edits), [("Prefer", "return=minimal")]).status == 204)
            }
            var (skipped, revision) = (0, 15)
            while revision < 15 + 100 * 15 {
                let event = try #require(try await slow.event())
                revision = try #require(event.revision)
                skipped += event.skipped ?? 0
                state = try event.applied(to: state)
            }
            #expect(skipped > 0)
            #expect(state == (try await session.state()))
            _ = try await session.dispatch("tasks/move", ["id": 1, "index": 3])
            let event = try #require(try await slow.event())
            #expect(event.name == "patch")
            #expect(try event.applied(to: state) == (try await session.state()))
        }
    }

    @Test func aReaderThatNeverReadsDelaysNobody() async throws {
        try await LiveServer.run(configuration: .with { $0.http.drainTimeout = .milliseconds(200) }) { server in
            let session = try await server.session("planner")
            let title = String(repeating: "x", count: 500)
            _ = try await session.post(
                .array(Array(repeating: ["type": "tasks/add", "payload": ["title": .string(title)]], count: 100)))
            let stuck = try await session.events(receiveBuffer: 4096)
            let fast = try await session.events(query: "?select=/tasks/ids")
            _ = try await fast.state()
            _ = try await fill(session, fast)
            _ = try await session.delete()
            #expect(try await fast.event()?.name == "closed")
            withExtendedLifetime(stuck) {}
        }
    }
}
