import JSON
import Platform
import RedisTesting
import StorehouseServer
import Testing

/// What clients get while Redis stands still.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RedisStandstillTests {
    /// What was sent to Redis may have been committed. What comes once that is noticed was not.
    @Test func theFirstWriteMayBeCommittedAndLaterOnesAreNot() async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis, .with { $0.cluster.lease = .seconds(30) }) { node in
            let session = try await node.session()
            #expect(try await session.increment().revision == 1)
            let readiness = TestRequest("GET", "/readyz")
            let client = try node.client()
            redis.send(SIGSTOP)
            let begin = ContinuousClock.now
            try await client.send(session.request("counter/increment").bytes)
            let notReady = try await node.eventually(readiness) { $0.status == 503 }
            #expect(notReady.status == 503)
            #expect(ContinuousClock.now - begin < .seconds(25))
            let later = try await session.increment()
            #expect(later.code == "storage-unavailable")
            let unknown = try await client.response(to: "POST")
            #expect(unknown.status == 504)
            #expect(unknown.code == "outcome-unknown")
            #expect(ContinuousClock.now - begin < .seconds(25))
            redis.send(SIGCONT)
            _ = try await node.eventually(readiness) { $0.status == 200 }
            // Redis executes what it had got.
            let state = TestRequest("GET", session.path + "/state")
            let committed = try await node.eventually(state) { $0.status == 200 }
            #expect(committed.revision == 2)
            #expect(try await session.increment().revision == 3)
        }
    }
}
