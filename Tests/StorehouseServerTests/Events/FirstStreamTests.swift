import JSON
import Testing

/// The first streams of a session.
@Suite struct FirstStreamTests {
    @Test func concurrentFirstStreamsShareOneHistory() async throws {
        try await LiveServer.run { server in
            for _ in 0..<10 {
                let session = try await server.session()
                let streams = try await together(4) { try await session.events() }
                var ids: Set<String> = []
                for stream in streams { ids.insert(try #require(try await stream.state().id)) }
                #expect(ids.count == 1)
                #expect(try await session.read()[json: "subscribers"] == 4)
                _ = try await session.increment()
                for stream in streams { #expect(try await stream.state().revision == 1) }
            }
        }
    }

    /// The stream gets the end, or it is not opened: none stays open.
    @Test func aStreamThatOpensAsTheSessionEndsIsClosed() async throws {
        try await LiveServer.run { server in
            for _ in 0..<20 {
                let session = try await server.session()
                async let ending = session.delete()
                let heads = try await together(2) { try await headAndEnd(of: session) }
                #expect(try await ending.status == 204)
                for head in heads { #expect([200, 204].contains(head)) }
            }
        }
    }

    @Test func aSessionWithoutStreamsEndsNormally() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            #expect(try await session.read()[json: "subscribers"] == 0)
            #expect(try await session.delete().status == 204)
            #expect(try await session.read("/events").status == 204)
        }
    }

    /// The status of a stream that is read until the server ends it.
    private func headAndEnd(of session: LiveSession) async throws -> Int {
        let client = try session.server.client()
        let request = TestRequest("GET", session.path + "/events", [("Connection", "close")])
        try await client.send(request.bytes)
        let head = try await client.head()
        _ = try await client.rest()
        return head.status
    }

    private func together<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for _ in 0..<count { group.addTask { try await body() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
