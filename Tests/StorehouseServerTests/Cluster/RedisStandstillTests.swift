import JSON
import Journal
import Platform
import RedisJournal
import RedisTesting
import StorehouseServer
import Testing

/// The answers that clients get while Redis stands still.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RedisStandstillTests {
    /// A commit that was sent to Redis may have been made. One that comes once the standstill is noticed was not.
    @Test func theFirstWriteMayBeCommittedAndLaterOnesAreNot() async throws {
        let redis = try RedisServer()
        let path = try await TestCluster.runNode(on: redis) { node in
            let session = try await node.session()
            #expect(try await session.increment().revision == 1)
            return session.path
        }
        let revision = try await TestCluster.runNode(on: redis, timeouts: RedisTimeouts()) { node in
            let session = LiveSession(server: node, path: path)
            let state = TestRequest("GET", path + "/state")
            let readiness = TestRequest("GET", "/readyz")
            var first = TestResponse(status: 0)
            repeat {
                _ = try await node.eventually(state) { $0.status == 200 }
                let client = try node.client()
                redis.send(SIGSTOP)
                try await client.send(session.request("counter/increment").bytes)
                let notReady = try await node.eventually(readiness) { $0.status == 503 }
                #expect(notReady.status == 503)
                let later = try await session.increment()
                #expect(later.code == "storage-unavailable")
                first = try await client.response(to: "POST")
                redis.send(SIGCONT)
                _ = try await node.eventually(readiness) { $0.status == 200 }
                // If this process stood still until the node knew, the write was one of the later ones.
            } while first.code == "storage-unavailable"
            #expect(first.status == 504)
            #expect(first.code == "outcome-unknown")
            // Redis executes what it has read, but loses what came with the reset of a connection.
            let revision = try #require(try await node.eventually(state) { $0.status == 200 }.revision)
            #expect([1, 2].contains(revision))
            return revision
        }
        try await TestCluster.runNode(on: redis) { node in
            let next = try await LiveSession(server: node, path: path).increment()
            #expect(next.revision == revision + 1)
        }
    }
}
