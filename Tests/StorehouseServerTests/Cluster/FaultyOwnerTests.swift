import FaultyServices
import JSON
import Platform
import RedisTesting
import StorehouseServer
import Testing

/// The answers that a client gets if the node that has its session dies, hangs or answers nonsense.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FaultyOwnerTests {
    private func run(
        _ owner: FaultyUpstream, _ body: @Sendable (LiveSession) async throws -> Void
    ) async throws {
        try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port)) { session, _ in try await body(session) }
    }

    @Test(arguments: [
        [FaultyUpstream.Step.close], [.reset], [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), .close],
        [.send("what?\r\n\r\n")], [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")],
    ])
    func itIsUnknownWhetherAWriteWasDone(_ steps: [FaultyUpstream.Step]) async throws {
        let owner = try FaultyUpstream(nodeOn: 0) { _ in steps }
        try await run(owner) { session in
            let response = try await session.increment()
            #expect(response.status == 504)
            #expect(response.code == "outcome-unknown")
            #expect(owner.record.requests.count == 1)
        }
    }

    @Test func whatCanBeRepeatedIsRepeatedAtTheOwner() async throws {
        let owner = try FaultyUpstream(nodeInTurn: [
            [.reset], [.send(Answer.status(421))], [.send(Answer.status(200, "ETag: \"1\"", body: "{}"))],
        ])
        try await run(owner) { session in
            let response = try await session.read("/state")
            #expect(response.status == 200)
            #expect(response["etag"] == "\"1\"")
            #expect(owner.record.requests.count == 3)
            let written = try await session.dispatch("counter/increment", fields: [("Idempotency-Key", "\"a\"")])
            #expect(written.status == 200)
        }
    }

    @Test func aDryRunIsRepeatedLikeARead() async throws {
        let owner = try FaultyUpstream(nodeInTurn: [[.close], [.send(Answer.status(200, body: "{}"))]])
        try await run(owner) { session in
            let response = try await session.dispatch("counter/increment", query: "?dryRun=true")
            #expect(response.status == 200)
            #expect(owner.record.requests.count == 2)
        }
    }

    @Test(arguments: [[FaultyUpstream.Step.send(Answer.status(421))], [.hang], [.close]])
    func theNextOwnerDoesWhatTheLastOneHasNotDone(_ steps: [FaultyUpstream.Step]) async throws {
        let owner = try FaultyUpstream(nodeOn: 0) { _ in steps }
        try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port)) { session, lease in
            async let read = session.read("/state")
            let fields = [("Idempotency-Key", "\"a\"")]
            async let writing = session.dispatch("counter/increment", ["by": 1], fields: fields)
            for method in ["GET", "POST"] {
                await owner.until { $0.requests.contains { $0.line.hasPrefix(method) } }
            }
            try await lease.end(at: session.liveServer)
            let written = try await writing
            #expect(written.status == 200)
            #expect(written.revision == 1)
            let state = try await read
            #expect(state.status == 200)
        }
    }

    @Test func aWriteDoesNotAwaitANodeThatIsGone() async throws {
        let owner = try FaultyUpstream(node: .hang)
        try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port)) { session, lease in
            async let lost = session.increment()
            await owner.until { $0.requests.count == 1 }
            try await lease.end(at: session.liveServer)
            let first = try await lost
            #expect(first.status == 504)
            let second = try await session.increment()
            #expect(second.revision == 1)
        }
    }

    /// 503 means that nothing was committed, and the node that has not answered may have committed it.
    @Test func aRepeatedWriteIsNeverCalledUndone() async throws {
        let problem = FaultyUpstream.Step.send(Answer.status(503, body: "{}"))
        let owner = try FaultyUpstream(nodeInTurn: [[problem], [.close], [problem]])
        try await run(owner) { session in
            let fields = [("Idempotency-Key", "\"a\"")]
            let first = try await session.dispatch("counter/increment", ["by": 1], fields: fields)
            #expect(first.status == 503)
            let second = try await session.dispatch("counter/increment", ["by": 1], fields: fields)
            #expect(second.status == 504)
        }
    }

    @Test func aStreamEndsWithItsOwner() async throws {
        let owner = try FaultyUpstream(nodeOn: 0) { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: state\nid: x-1\ndata: {}\n\n"),
                .hold, .close,
            ]
        }
        try await run(owner) { session in
            let events = try await session.events()
            #expect(try await events.event()?.id == "x-1")
            owner.release()
            #expect(try await events.event() == nil)
            let request = try #require(owner.record.requests.first)
            #expect(request.field("storehouse-client") == "127.0.0.1")
        }
    }

    @Test func theRequestOfAClientThatHasGoneIsForgotten() async throws {
        let owner = try FaultyUpstream(node: .hold, .send(Answer.status(200, body: "{}")))
        try await run(owner) { session in
            let client = try session.server.client()
            try await client.send(session.request("counter/increment").bytes)
            await owner.until { $0.requests.count == 1 }
            try await client.makeReset()
            owner.release()
            // The connection is free for the next one.
            #expect(try await session.read("/state").status == 200)
            #expect(owner.record.connections <= 2)
        }
    }

    /// Waits until so many bytes wait for clients.
    private static func pendingBytes(_ server: LiveServer, _ isAsItShould: (Int) -> Bool) async throws {
        _ = try await server.eventually(TestRequest("GET", "/metrics")) { metrics in
            let lines = metrics.text.split(separator: "\n")
            let value = lines.first { $0.hasPrefix("storehouse_http_output_bytes ") }?.split(separator: " ").last
            return value.flatMap { Int($0) }.map(isAsItShould) ?? false
        }
    }

    /// It is collected before the client gets it.
    @Test func aResponseOnItsWayCountsForTheOutputBudget() async throws {
        let length = 1 << 20
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n{"
        let rest = [UInt8](repeating: 0x20, count: length - 1)
        let owner = try FaultyUpstream(nodeOn: 0) { _ in [.send(head), .hold, .bytes(rest)] }
        try await run(owner) { session in
            let client = try session.server.client()
            try await client.send(TestRequest("GET", session.path + "/state").bytes)
            try await Self.pendingBytes(session.liveServer) { $0 >= length }
            owner.release()
            #expect(try await client.response().body.count == length)
            try await Self.pendingBytes(session.liveServer) { $0 == 0 }
        }
    }

    /// An action may have been committed, so nothing is said of it.
    @Test func aResponseAboveTheOutputBudgetIsNotCollected() async throws {
        let owner = try FaultyUpstream(nodeOn: 0) { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 300000000\r\n\r\n{")]
        }
        try await run(owner) { session in
            let response = try await session.read("/state")
            #expect(response.status == 503)
            #expect(response.code == "overloaded")
            await #expect(throws: Wire.Failure.self) { try await session.increment() }
            #expect(owner.record.requests.count == 2)
            await owner.until { $0.cancelled.count == 2 }
            try await Self.pendingBytes(session.liveServer) { $0 == 0 }
        }
    }
}
