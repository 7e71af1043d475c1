import Cluster
import HTTP
import JSON
import RedisTesting
import Sockets
import StorehouseServer
import Testing

/// A node at the limit of its connections still answers the other nodes.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ConnectionReserveTests {
    private static let request = TestRequest("GET", "/stores")
    /// That of the node: nothing listens there, so it has no connection to itself, which would count.
    private static let port = 1

    private static func configuration(threads: Int) -> Configuration {
        .with {
            $0.http.threads = threads
            $0.http.maxConnections = 2
        }
    }

    private static func peer(at node: LiveServer) async throws -> PlayedNode {
        try await PlayedNode(at: node, reachedAt: port)
    }

    /// Two streams, which take all connections that there may be, and the path of their session.
    private static func fill(_ node: LiveServer) async throws -> (path: String, streams: [TestClient]) {
        let streams = [try node.client(), try node.client()]
        let created = try await streams[0].exchange(TestRequest("POST", "/sessions", json: ["store": "app"]))
        let path = try #require(created["location"])
        for stream in streams {
            try await stream.send(TestRequest("GET", path + "/events").bytes)
            #expect(try await stream.head().status == 200)
        }
        return (path, streams)
    }

    @Test(arguments: [1, 3])
    func otherNodesAreAnsweredAtTheLimitAndClientsAreRefused(_ threads: Int) async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis, Self.configuration(threads: threads), reachedAt: Self.port) { node in
            var (path, streams) = try await Self.fill(node)
            let client = try node.client()
            let refused = try await client.exchange(Self.request)
            #expect(refused.status == 503)
            #expect(refused.code == "overloaded")
            #expect(refused["retry-after"] == "1")
            #expect(refused["connection"] == "close")
            #expect(try await client.rest().isEmpty)
            for probe in ["/healthz", "/readyz"] {
                let prober = try node.client()
                let answer = try await prober.exchange(TestRequest("GET", probe))
                #expect(answer.status == 200)
                #expect(answer["connection"] == "close")
                #expect(try await prober.rest().isEmpty)
            }
            // A connection stays no longer if its bytes are no request, or no request of a node.
            for bytes in ["NONSENSE\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\nStorehouse-Node: b c\r\n\r\n"] {
                let other = try node.client()
                try await other.send(bytes)
                #expect(try await other.response()["connection"] == "close")
                #expect(try await other.rest().isEmpty)
            }
            let peer = try await Self.peer(at: node)
            for _ in 0..<3 { #expect(try await peer.get(path).status == 200) }
            // Clients are served again when there is room for them. The connection of the node is one of two.
            streams.removeAll()
            #expect(try await Self.served(by: node).status == 200)
            #expect(try await peer.get(path).status == 200)
        }
    }

    @Test func otherNodesAreRefusedAtOnceIfTheReserveIsFull() async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis, Self.configuration(threads: 1), reachedAt: Self.port) { node in
            let (path, streams) = try await Self.fill(node)
            var others: [PlayedNode] = []
            for _ in 0..<16 {
                others.append(try await Self.peer(at: node))
                #expect(try await others.last?.get(path + "/state").status == 200)
            }
            func call() async throws -> TestResponse {
                let client = try node.client()
                try await client.send(PlayedNode.hello(try PlayedNode.caller(to: Self.port).hello).bytes)
                let head = try await client.head()
                return head
            }
            for _ in 0..<3 { #expect(try await call().status == 503) }
            // The streams of the clients of a node need no connections.
            for _ in 0..<40 {
                let stream = try await others[0].send(TestRequest("GET", path + "/events"))
                try await others[0].stream(stream) { $0.contains("event: state") }
            }
            others.removeLast()
            let limit = ContinuousClock.now + .seconds(Wire.waitTimeout)
            while try await call().status != 101 { try #require(ContinuousClock.now < limit) }
            withExtendedLifetime((streams, others)) {}
        }
    }

    /// The response to the first client that is not refused.
    private static func served(by node: LiveServer) async throws -> TestResponse {
        let limit = ContinuousClock.now + .seconds(Wire.waitTimeout)
        while true {
            let response = try await node.client().exchange(Self.request)
            if response.status != 503 || ContinuousClock.now > limit { return response }
        }
    }

    /// Each new connection takes the place of the oldest one that has sent nothing.
    @Test(arguments: [1, 3])
    func connectionsThatSendNothingDoNotKeepOtherNodesOut(_ threads: Int) async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis, Self.configuration(threads: threads), reachedAt: Self.port) { node in
            let (path, streams) = try await Self.fill(node)
            let silent = try (0..<800).map { _ in try node.client() }
            let peer = try await Self.peer(at: node)
            #expect(try await peer.get(path).status == 200)
            // The first of them have made room for the others.
            #expect(try await silent[0].rest().isEmpty)
            withExtendedLifetime((streams, silent)) {}
        }
    }
}
