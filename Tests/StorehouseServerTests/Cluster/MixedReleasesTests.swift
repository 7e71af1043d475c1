import JSON
import Platform
import RedisTesting
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// Nodes of two releases, as during an upgrade.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct MixedReleasesTests {
    private static let older = [Alarm.kind]
    private static let newer = [
        Alarm.kind([{ state, _ in state = ["deadline": state["deadline"] ?? .null, "rings": 100] }])
    ]

    @Test func aSessionOfANewerReleaseIsLeftToItsNodes() async throws {
        let redis = try RedisServer()
        let deadline = WallClock().now() + 2000
        let path = try await TestCluster.runNode(on: redis, kinds: Self.newer) { node in
            let session = try await node.session("alarm")
            #expect(try await session.dispatch("alarm/set", ["at": .integer(deadline)]).status == 200)
            return session.path
        }
        try await TestCluster.runNode(on: redis, kinds: Self.older) { older in
            let refused = try await older.get(path + "/state")
            #expect(refused.status == 500)
            #expect(refused.at("/detail")?.asString?.contains("newer") == true)
            try await TestCluster.runNode(on: redis, kinds: Self.newer) { newer in
                // The older node has not kept it.
                #expect(try await newer.get(path + "/state").status == 200)
                let forwarded = try await older.get(path + "/state")
                #expect(forwarded.status == 200)
                #expect(forwarded["via"] != nil)
                _ = try await newer.eventually(TestRequest("GET", path + "/state?select=/rings")) {
                    $0.json["state"]?.asInteger == 1
                }
                #expect(WallClock().now() >= deadline)
            }
        }
    }

    /// Their requests can be repeated by whoever reads them.
    @Test(arguments: [EarlierProofs.Way.undated, .hourly])
    func nodesOfAnEarlierReleaseAreKnownAsLongAsTheyAreAlive(_ way: EarlierProofs.Way) async throws {
        try await TestCluster.run { cluster in
            let session = try await cluster.first.session()
            let other = EarlierProofs("127.0.0.1:\(cluster.second.port)", secret: Array(TestCluster.secret.utf8))
            let field = other.field(for: "127.0.0.1:\(cluster.first.port)", way, now: systemTime())
            let request = TestRequest(
                "GET", session.path + "/state", [("Storehouse-Node", field), ("Storehouse-Client", "10.0.0.1")])
            #expect(try await cluster.first.send(request).status == 421)
            // As if both were of an earlier release.
            try cluster.setReleases(way == .hourly ? "2" : nil)
            _ = try await cluster.first.eventually(request) { $0.status == 200 }
            #expect(try await session.at(cluster.second).read().status == 200)
            // They begin other lives, and tell their release.
            try cluster.forgetLives()
            _ = try await cluster.first.eventually(request) { $0.status == 421 }
            // It takes no requests before its own life has begun.
            _ = try await cluster.second.eventually(TestRequest("GET", session.path + "/state")) { $0.status == 200 }
        }
    }

    @Test func aSessionOfAnOlderReleaseIsMigratedOnce() async throws {
        let redis = try RedisServer()
        let path = try await TestCluster.runNode(on: redis, kinds: Self.older) { try await $0.session("alarm").path }
        try await TestCluster.runNode(on: redis, kinds: Self.older) { older in
            try await TestCluster.runNode(on: redis, kinds: Self.newer) { newer in
                for node in [newer, older] {
                    let state = try await node.get(path + "/state?select=/rings")
                    #expect(state.json["state"]?.asInteger == 100)
                    #expect(state.revision == 1)
                }
                let log = try await older.get(path + "/actions")
                #expect(log.at("/actions/0/type") == "store/migrated")
            }
        }
    }
}
