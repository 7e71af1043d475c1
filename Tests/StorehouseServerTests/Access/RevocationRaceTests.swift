import JSON
import Locks
import Observability
import StorehouseServer
import Testing

/// Nothing is committed by a share after its revocation is answered, whatever waits for the store then.
@Suite("The race between actions and the revocation of their share", .timeLimit(.minutes(10)))
struct RevocationRaceTests {
    private static let rounds = 40
    private static let writers = 6
    private static let action: JSONValue = ["type": "counter/increment"]

    /// Each writer acts until its share is refused, and the share is revoked in the middle of it.
    private func race(
        _ session: LiveSession, at server: any TestServing, revoking path: (TestShare) throws -> String
    ) async throws {
        let share = try await session.share(["may": ["act"], "select": "/counter"])
        let used = TestShare.at(server, share)
        let begun = Locked(0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.writers {
                group.addTask {
                    var committed = 0
                    while true {
                        let answer = try await used.post(Self.action)
                        begun.withLock { $0 += 1 }
                        guard answer.status == 200 else {
                            #expect(answer.status == 404 && answer.code == "no-such-share")
                            return committed
                        }
                        committed += 1
                    }
                }
            }
            try await waitUntil { begun.withLock(\.self) >= Self.writers }
            let before = try await session.revision() ?? 0
            #expect(try await session.server.delete(try path(share)).status == 204)
            let after = try await session.revision()
            for try await _ in group {}
            let end = try await session.revision()
            #expect(after == end && end ?? 0 >= before)
        }
    }

    @Test("ends with the answer, for one share and for all, in memory and on disk", arguments: [false, true])
    func oneNode(isDurable: Bool) async throws {
        let configuration = Configuration.with { $0.http.threads = 3 }
        let body = { (server: LiveServer) async throws -> Void in
            let session = try await server.session()
            for round in 0..<Self.rounds {
                try await race(session, at: server) { share in
                    let id = try #require(share.answer.json["id"]?.asString)
                    return session.path + "/shares" + (round.isMultiple(of: 4) ? "" : "/" + id)
                }
            }
        }
        if isDurable {
            try await DurableServer().run(configuration: configuration, body)
        } else {
            try await LiveServer.run(configuration: configuration, logging: .error, body)
        }
    }

    @Test("ends with the answer, also of actions through another node")
    func severalNodes() async throws {
        try await TestCluster.run { cluster in
            let session = try await cluster.second.session()
            for _ in 0..<8 {
                try await race(session, at: cluster.first) { share in
                    session.path + "/shares/" + (try #require(share.answer.json["id"]?.asString))
                }
            }
        }
    }
}
