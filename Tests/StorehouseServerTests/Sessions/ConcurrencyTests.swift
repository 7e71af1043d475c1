import JSON
import Sockets
import StorehouseServer
import Testing

/// Many clients at once: no action is lost, and each revision is given once.
@Suite struct ConcurrencyTests {
    private static let connections = 16
    private static let actions = 1000

    @Test(arguments: LoopImplementation.allCases)
    func incrementsFromManyConnectionsAllCount(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops) { server in
            let session = try await server.session()
            let revisions = try await Self.send(session.request("counter/increment"), to: server)
            #expect(revisions.sorted() == Array(1...Self.actions))
            #expect(try await session.state("/counter/count") == .integer(Self.actions))
        }
    }

    @Test func theAsynchronousStoreLosesNothingEither() async throws {
        try await LiveServer.run { server in
            let session = try await server.session("login")
            let request = session.request("login/enteringCredential", ["username": "somebody"])
            let revisions = try await Self.send(request, to: server)
            #expect(revisions.sorted() == Array(1...Self.actions))
            #expect(try await session.revision() == Self.actions)
        }
    }

    /// Sends ``actions`` actions over all connections together.
    /// - Returns: the revisions that the answers gave.
    private static func send(_ request: TestRequest, to server: LiveServer) async throws -> [Int] {
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for connection in 0..<connections {
                group.addTask {
                    let client = try server.client()
                    var revisions: [Int] = []
                    let share = actions / connections + (connection < actions % connections ? 1 : 0)
                    for _ in 0..<share {
                        let response = try await client.exchange(request)
                        #expect(response[json: "outcome"] == "committed")
                        revisions.append(response.revision ?? -1)
                    }
                    // One client sees its own commits in order.
                    #expect(revisions == revisions.sorted())
                    return revisions
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    @Test(arguments: ["app", "login"])
    func keystrokesAreReducedInTheirOrder(_ store: String) async throws {
        try await LiveServer.run { server in
            let session = try await server.session(store)
            _ = try await session.dispatch("login/enteringCredential", ["password": "long enough"])
            let texts = (0..<200).map { String(repeating: "x", count: ($0 * 7) % 16) }
            let client = try server.client()
            try await client.send(
                texts.flatMap { session.request("login/enteringCredential", ["username": .string($0)]).bytes })
            for (index, text) in texts.enumerated() {
                let response = try await client.response()
                #expect(response.revision == index + 2)
                let expected: JSONValue = text.count >= 8 ? "validCredentials" : "validatingCredentials"
                #expect(response.at("/state/login/status") == expected)
            }
        }
    }

    @Test func aStreamShowsACrowdOfCommitsInOrder() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let streams = [try await session.events(), try await session.events(query: "?select=/counter/count")]
            async let sending = Self.send(session.request("counter/increment"), to: server)
            for stream in streams {
                let shown = try await stream.states(upTo: Self.actions).compactMap(\.revision)
                #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 < $1 })
                #expect(shown.last == Self.actions)
            }
            _ = try await sending
        }
    }

    @Test func manySessionsDoNotDisturbEachOther() async throws {
        try await LiveServer.run { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...24 {
                    group.addTask {
                        let session = try await server.session(number.isMultiple(of: 2) ? "app" : "betting")
                        let events = try await session.events(query: "?select=/counter/count")
                        for _ in 0..<5 { _ = try await session.increment(number) }
                        #expect(try await events.states(upTo: 5).last?.state == .integer(5 * number))
                        #expect(try await session.delete().status == 204)
                        #expect(try await events.event()?.name == "closed")
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
