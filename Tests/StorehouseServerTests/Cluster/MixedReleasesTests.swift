import JSON
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
        // Nobody wakes it before the test is done.
        let later = WallClock().now() + 3_600_000
        let path = try await TestCluster.runNode(on: redis, kinds: Self.newer) { node in
            let session = try await node.session("alarm")
            #expect(try await session.dispatch("alarm/set", ["at": .integer(later)]).status == 200)
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
                let deadline = WallClock().now() + 200
                let soon: JSONValue = ["type": "alarm/set", "payload": ["at": .integer(deadline)]]
                #expect(try await newer.post(path + "/actions", json: soon).status == 200)
                _ = try await newer.eventually(TestRequest("GET", path + "/state?select=/rings")) {
                    $0.json["state"]?.asInteger == 1
                }
                #expect(WallClock().now() >= deadline)
            }
        }
    }

    /// They forward requests in another way, which must not be taken for requests of clients.
    @Test(arguments: ["127.0.0.1:1 AAAA", "127.0.0.1:1 490000 AAAA", "hello 1 a b c d", "linked"])
    func requestsOfNodesOfEarlierReleasesAreRefused(_ field: String) async throws {
        try await TestCluster.runNode(on: try RedisServer()) { node in
            let session = try await node.session()
            let fields = [("Storehouse-Node", field), ("Storehouse-Client", "10.0.0.1")]
            for path in [session.path + "/state", "/healthz", "*"] {
                let method = path == "*" ? "OPTIONS" : "GET"
                let response = try await node.send(TestRequest(method, path, fields))
                #expect(response.status == 421)
                #expect(response["storehouse-node"] == nil)
            }
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
