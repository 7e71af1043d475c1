import JSON
import Platform
import RedisTesting
import StorehouseServer
import Testing

/// Nodes whose machines have wrong clocks.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct WrongClockTests {
    @Test(arguments: [172_800_000, -172_800_000, 700_000, -700_000])
    func aNodeWithAWrongClockEndsNoSessionAndCommitsNoKeyTwice(shift: Int) async throws {
        let redis = try RedisServer()
        let wrong: @Sendable () -> Int = { systemTime() + shift }
        func increment(_ path: String, at node: LiveServer) async throws -> TestResponse {
            try await node.send(
                TestRequest(
                    "POST", path + "/actions", [("Idempotency-Key", "\"once\"")],
                    json: ["type": "counter/increment", "payload": ["by": 1]]))
        }
        // The later one has the later time.
        let path = try await TestCluster.runNode(on: redis, wall: shift < 0 ? wrong : systemTime) { owner in
            let session = try await owner.session()
            #expect(try await increment(session.path, at: owner).revision == 1)
            return session.path
        }
        try await TestCluster.runNode(on: redis, wall: shift > 0 ? wrong : systemTime) { other in
            let repeated = try await increment(path, at: other)
            #expect(repeated.revision == 1 && repeated["idempotency-replayed"] == "true")
            #expect(try await other.get(path + "/state?select=/counter/count").json["state"] == 1)
        }
    }

    @Test func aNodeWhoseClockDiffersFromThatOfRedisSaysWhyItIsNotReady() async throws {
        let redis = try RedisServer()
        let wrong: @Sendable () -> Int = { systemTime() + 172_800_000 }
        try await TestCluster.runNode(on: redis, wall: wrong) { node in
            let answer = try await node.eventually(TestRequest("GET", "/readyz")) { $0.status == 503 }
            #expect(answer.code == "storage-unavailable")
            #expect(answer.at("/detail")?.asString?.contains("seconds ahead of the clock of Redis") == true)
            // By the clock of Redis it serves all the same.
            #expect(try await node.session().read().status == 200)
        }
        try await TestCluster.runNode(on: redis, wall: systemTime) { node in
            let ready = try await node.get("/readyz")
            #expect(ready.status == 200)
        }
    }
}
