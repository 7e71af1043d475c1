import Foundation
import ProcessTesting

/// A Redis Cluster of three primaries, and a replica of the one that has the keys of a hash tag.
package struct RedisCluster: Sendable {
    package struct Node: Sendable {
        package let server: RedisServer
        package let id: String
        package let port: Int
    }

    package struct TookTooLong: Error {}

    /// The slot of the keys.
    package let slot: String
    /// The primary of the slot, the other two, and the replica of the first.
    package let primary: Node
    package let others: [Node]
    package let replica: Node

    /// Starts the nodes.
    ///
    /// - Parameter tag: the hash tag in braces.
    package static func start(tag: String) async throws -> RedisCluster {
        try await onOwnThread { try RedisCluster(tag: tag) }
    }

    private init(tag: String) throws {
        var nodes: [Node] = []
        for index in 0..<4 {
            let node = try Self.startNode()
            try node.server.execute("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
            for other in nodes {
                try node.server.execute("CLUSTER", "MEET", "127.0.0.1", "\(other.port)", "\(other.port + 1)")
            }
            nodes.append(node)
        }
        for (node, range) in zip(nodes, [("0", "5460"), ("5461", "10922"), ("10923", "16383")]) {
            try node.server.execute("CLUSTER", "ADDSLOTSRANGE", range.0, range.1)
        }
        slot = try nodes[0].server.execute("CLUSTER", "KEYSLOT", tag)[0]
        let number = Int(slot) ?? 0
        let index = [5461, 10_923].count { number >= $0 }
        primary = nodes[index]
        others = nodes[..<3].filter { [id = nodes[index].id] in $0.id != id }
        replica = nodes[3]
        for node in nodes { try node.awaitReply("CLUSTER", "INFO", with: "cluster_known_nodes:4") }
        for node in nodes { try node.awaitReply("CLUSTER", "INFO", with: "cluster_state:ok") }
        try replica.server.execute("CLUSTER", "REPLICATE", primary.id)
        try replica.awaitReply("INFO", "replication", with: "master_link_status:up")
        // A replica can take over once the primary knows it as its own.
        for node in nodes { try node.awaitReply("CLUSTER", "NODES", with: "slave \(primary.id)") }
        try Self.setNodeTimeout(.seconds(3600), at: nodes)
    }

    /// After that time a node that is silent counts as lost. Only a node that was killed should, not one that is slow.
    private static func setNodeTimeout(_ timeout: Duration, at nodes: [Node]) throws {
        for node in nodes {
            try node.server.execute("CONFIG", "SET", "cluster-node-timeout", "\(timeout.components.seconds * 1000)")
        }
    }

    /// Kills the primary, and waits until the replica has taken over by itself.
    package func losePrimary() async throws {
        primary.server.kill()
        try await onOwnThread { [replica, others] in
            try Self.setNodeTimeout(.seconds(1), at: others + [replica])
            try replica.awaitReply("INFO", "replication", with: "role:master")
            try Self.setNodeTimeout(.seconds(3600), at: others + [replica])
        }
    }

    /// Makes the replica the primary, while both are there.
    package func swapPrimary() async throws {
        try await onOwnThread { [replica] in
            var end = ContinuousClock.now
            try Self.wait {
                if ContinuousClock.now >= end {
                    // Redis gives an attempt up after five seconds.
                    try replica.server.execute("CLUSTER", "FAILOVER")
                    end = .now + .seconds(6)
                }
                return try replica.hasReply("INFO", "replication", with: "role:master")
            }
        }
    }

    private static func startNode() throws -> Node {
        let (server, port) = try RedisServer.startOnPort { port in
            [
                "--cluster-port", "\(port + 1)", "--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
                "--repl-diskless-sync-delay", "0",
            ]
        }
        return Node(server: server, id: try server.execute("CLUSTER", "MYID")[0], port: port)
    }

    /// Waits until the replica has everything that the primary has now.
    package func awaitReplica() async throws {
        try await onOwnThread { [primary, replica] in
            let wanted = try primary.offset("master_repl_offset")
            try Self.wait { try replica.offset("slave_repl_offset") >= wanted }
        }
    }

    /// Asks again and again until a condition is met, for two minutes at most. Blocks its thread.
    fileprivate static func wait(_ isMet: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(120)
        while try !isMet() {
            if ContinuousClock.now > end { throw TookTooLong() }
            // Redis needs the processor more than this.
            Thread.sleep(forTimeInterval: 0.005)
        }
    }

    /// Begins to move the slot to another primary. Until the end no script can use its keys.
    package func beginMove(from source: Node, to target: Node) throws {
        try target.server.execute("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        try source.server.execute("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
    }

    /// Moves the keys, and then the slot.
    package func endMove(from source: Node, to target: Node) async throws {
        try await onOwnThread { [slot] in
            try Self.wait {
                let keys = try source.server.execute("CLUSTER", "GETKEYSINSLOT", slot, "100")
                for key in keys {
                    try source.server.execute("MIGRATE", "127.0.0.1", "\(target.port)", key, "0", "120000")
                }
                return keys.isEmpty
            }
            for node in [target, source] { try node.server.execute("CLUSTER", "SETSLOT", slot, "NODE", target.id) }
        }
    }
}

extension RedisCluster.Node {
    package var url: String { "redis://127.0.0.1:\(port)" }

    /// How many bytes of commands the node has, by a field of its replication.
    fileprivate func offset(_ field: String) throws -> Int {
        let lines = try server.execute("INFO", "replication").flatMap { $0.split(whereSeparator: \.isNewline) }
        return lines.first { $0.hasPrefix(field + ":") }.flatMap { Int($0.dropFirst(field.count + 1)) } ?? -1
    }

    /// Asks again and again until the reply has a text.
    package func wait(_ command: String, _ argument: String, for text: String) async throws {
        try await onOwnThread { try awaitReply(command, argument, with: text) }
    }

    /// Asks in the same way, and blocks the thread.
    fileprivate func awaitReply(_ command: String, _ argument: String, with text: String) throws {
        try RedisCluster.wait { try hasReply(command, argument, with: text) }
    }

    fileprivate func hasReply(_ command: String, _ argument: String, with text: String) throws -> Bool {
        try server.execute(command, argument).contains { $0.contains(text) }
    }
}
