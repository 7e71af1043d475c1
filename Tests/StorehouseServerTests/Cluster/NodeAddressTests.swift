import FaultyServices
import RedisTesting
import StorehouseServer
import Testing

/// The lines in the log of a node about its own address, and about the other nodes.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct NodeAddressTests {
    private static let wrong = "cluster.address does not lead to this node"

    @Test func aWrongAddressIsNoticedUntilItIsRight() async throws {
        let redis = try RedisServer()
        let listener = try TestListener()
        let configuration = Configuration.with { $0.cluster.lease = .seconds(1) }
        try await TestCluster.runNode(on: redis, configuration, reachedAt: listener.port) { node in
            // A stranger can only answer.
            let first = try await listener.connection()
            _ = try await first.requestHead()
            try await first.send(Answer.status(200))
            try await node.log.line(with: "it does not answer as a node does; cluster.address must be")
            #expect(node.log.text.contains("\(Self.wrong) address=127.0.0.1:\(listener.port) "))
            // From now on the address leads to the node.
            let second = try await listener.connection()
            let head = try await second.requestHead().map { $0 + "\r\n" }.joined() + "\r\n"
            #expect(head.hasPrefix("OPTIONS * HTTP/1.1\r\n"))
            let client = try node.client()
            try await client.send(head)
            #expect(try await client.response().status == 421)
            try await second.send(Answer.status(421))
            try await node.log.line(with: "cluster.address leads to this node now")
            #expect(node.log.text.ranges(of: Self.wrong).count == 1, "\(node.log.text)")
        }
    }

    @Test func anAddressWhereNothingListensIsNoticed() async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis, reachedAt: 1) { node in
            try await node.log.line(with: "Connection refused; cluster.address must be")
            #expect(node.log.text.contains("\(Self.wrong) address=127.0.0.1:1 "))
        }
    }

    @Test func aRightAddressIsNotCalledWrong() async throws {
        let redis = try RedisServer()
        let log = try await TestCluster.runNode(on: redis, .with { $0.log.access = .all }) { node in
            try await node.log.line(with: "method=OPTIONS")
            return node.log
        }
        #expect(!log.text.contains("cluster.address"))
    }

    @Test func aNodeSaysWhoJoinsAndWhoIsGone() async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis) { first in
            let address = try await TestCluster.runNode(on: redis) { second in
                let address = "127.0.0.1:\(second.port)"
                try await first.log.line(with: "a node has joined node=\(address)")
                try await second.log.line(with: "a node has joined node=127.0.0.1:\(first.port)")
                #expect(!second.log.text.contains("joined node=\(address)"))
                return address
            }
            try await first.log.line(
                with: "a node is gone: its lease has ended, or it has given it back node=\(address)")
        }
    }

    @Test func anotherNodeThatDoesNotAnswerIsNamedOnce() async throws {
        let port = try TestCluster.freePort()
        // A request for which no node answers fails after some seconds.
        let configuration = Configuration.with { $0.cluster.lease = .seconds(1) }
        try await PlayedOwner.runNode(besideOwnerAt: port, configuration) { session, _ in
            func fail() async throws {
                let response = try await session.read()
                #expect(response.code == "storage-unavailable")
            }
            // It is named when it has not answered for a second.
            try await waitUntil {
                try await fail()
                return session.server.log.text.contains("a node does not answer")
            }
            try await fail()
            let lines = session.server.log.text.split(separator: "\n").filter { $0.contains("a node does not answer") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("node=127.0.0.1:\(port) detail=\"connect: Connection refused\"") == true)

            let owner = try FaultyUpstream(nodeOn: UInt16(port)) { _ in [.send(Answer.status(200, body: "{}"))] }
            _ = try await session.server.eventually(TestRequest("GET", session.path)) { $0.status == 200 }
            try await session.server.log.line(with: "a node answers again node=127.0.0.1:\(port)")
            withExtendedLifetime(owner) {}
        }
    }
}
