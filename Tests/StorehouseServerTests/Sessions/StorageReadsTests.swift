import JSON
import StorehouseServer
import Testing

/// Reads of stored commits hold memory and keep the storage busy, so few are done at once, and the sessions take turns.
@Suite struct StorageReadsTests {
    /// How many reads are done at once, and how many wait of one session.
    private static let (working, waiting) = (8, 128)

    /// A served session with two commits, and the reads of its journal.
    private struct Scene {
        let api: TestAPI
        let session: LiveSession
        let reads: HeldReads
        /// The id of the event of its first state.
        let seen: String

        /// Clients that read something below the session, which is not answered yet.
        func readers(_ count: Int, of below: String = "/actions") async throws -> [TestClient] {
            var clients: [TestClient] = []
            for _ in 0..<count {
                let client = try api.client()
                try await client.send(TestRequest("GET", session.path + below).bytes)
                clients.append(client)
            }
            try await settle()
            return clients
        }

        /// Returns when the requests that have come wait for what they have to wait for: each answer takes a turn of the loop.
        func settle() async throws {
            for _ in 0..<4 { _ = try await session.revision() }
        }
    }

    private func run(_ body: (Scene) async throws -> Void) async throws {
        let journal = HeldReadsJournal()
        try await TestAPI.run(journal: journal) { api in
            let session = try await api.session()
            let seen = try #require(try await session.events().state().id)
            for _ in 0..<2 { _ = try await session.increment() }
            try await body(Scene(api: api, session: session, reads: journal.reads, seen: seen))
        }
    }

    @Test func fewReadsAreDoneAtOnceAndTheSessionsTakeTurns() async throws {
        try await run { scene in
            let readers = try await scene.readers(Self.working + Self.waiting)
            // A reader too many is refused at once.
            let refused = try await scene.session.read("/actions")
            #expect(refused.status == 503 && refused.code == "overloaded" && refused["retry-after"] == "1")
            let (other, client) = (try await scene.api.session(), try scene.api.client())
            try await client.send(TestRequest("GET", other.path + "/actions").bytes)
            // Whatever reads no stored commits waits for none of them.
            #expect(try await scene.session.increment().revision == 3)
            try await scene.settle()
            #expect(scene.reads.sessions.count == Self.working)
            try await scene.reads.release(Self.working + Self.waiting + 1)
            for reader in readers + [client] { #expect(try await reader.response().status == 200) }
            // The other session had to wait for one read of the first.
            #expect(scene.reads.sessions.firstIndex(of: other.id) == Self.working + 1)
        }
    }

    @Test(arguments: ["/actions", "/state?revision=1", "/events?changes=patch&lastEventId="])
    func aReaderWhoLeavesWaitsNoLonger(_ below: String) async throws {
        try await run { scene in
            let below = below.hasSuffix("=") ? below + scene.seen : below
            var readers = try await scene.readers(Self.working + Self.waiting - 1)
            var leaving = try await scene.readers(1, of: below)
            #expect(try await scene.session.read("/actions").status == 503)
            leaving.removeAll()
            // The place is free for another one.
            readers += try await scene.readers(1)
            #expect(try await scene.session.read("/actions").status == 503)
            try await scene.reads.release(Self.working + Self.waiting)
            for reader in readers { #expect(try await reader.response().status == 200) }
            #expect(scene.reads.sessions.count == Self.working + Self.waiting)
        }
    }

    /// The first one reads it for all.
    @Test func whoeverWaitsForTheSameStateAsAReaderWhoLeavesGetsIt() async throws {
        try await run { scene in
            let readers = try await scene.readers(Self.working)
            var leaving = try await scene.readers(1, of: "/state?revision=1")
            let staying = try await scene.readers(2, of: "/state?revision=1")
            leaving.removeAll()
            try await scene.settle()
            try await scene.reads.release(Self.working + 1)
            for reader in readers + staying { #expect(try await reader.response().status == 200) }
            #expect(scene.reads.sessions.count == Self.working + 1)
        }
    }

    @Test func aStreamWaitsForTheTurnInWhichItReadsMissedCommits() async throws {
        try await run { scene in
            let readers = try await scene.readers(Self.working)
            try await scene.reads.begun(Self.working)
            let client = try #require(
                try await scene.readers(1, of: "/events?changes=patch&lastEventId=" + scene.seen).first)
            // A request that comes later is answered, and the stream has not begun to read.
            #expect(try await scene.session.revision() == 2)
            #expect(scene.reads.sessions.count == Self.working)
            try await scene.reads.release(Self.working + 1)
            let stream = try await EventReader(client)
            #expect(try await stream.event()?.name == "patch")
            for reader in readers { #expect(try await reader.response().status == 200) }
        }
    }

    @Test func missedCommitsAreReadInPortionsUntilTheirEventsAreTooLong() async throws {
        try await run { scene in
            let batch = JSONValue.array(Array(repeating: ["type": "counter/increment"], count: 100))
            for _ in 0..<3 { #expect(try await scene.session.post(batch).status == 200) }
            let query = "/events?changes=patch&lastEventId=" + scene.seen
            let all = try #require(try await scene.readers(1, of: query).first)
            try await scene.reads.release(3)
            let stream = try await EventReader(all)
            for revision in 1...302 { #expect(try await stream.event()?.revision == revision) }
            #expect(scene.reads.limits == [128, 128, 128])
            // These are longer than the buffer of a stream.
            let planner = try await scene.api.session("planner")
            let seen = try #require(try await planner.events().state().id)
            for _ in 0..<10 { #expect(try await planner.post(.longTasks(15)).status == 200) }
            async let late = planner.events(query: "?changes=patch&lastEventId=" + seen)
            try await scene.reads.release(1)
            #expect(try await late.state().revision == 150)
            #expect(scene.reads.limits.count == 4)
        }
    }
}
