/// The nodes of a Redis Cluster, any of which says where the keys are.
package enum RedisClusterNodes {
    /// How many nodes are remembered at most.
    package static let limit = 16

    static let query = RedisCommand("CLUSTER", "SLOTS")

    /// The addresses in the reply to `CLUSTER SLOTS`; none if it is an error.
    ///
    /// - Parameter current: the address of the node that has answered. Nodes without a host have its host.
    package static func endpoints(
        _ reply: RedisReply, from current: RedisAddress.Endpoint
    ) -> [RedisAddress.Endpoint] {
        var endpoints: [RedisAddress.Endpoint] = []
        // A range is its first and last slot, the primary, and the replicas.
        for node in (reply.array ?? []).flatMap({ ($0.array ?? []).dropFirst(2) }) {
            guard let fields = node.array, fields.count >= 2, let port = fields[1].integer, (1...65_535).contains(port),
                RedisRedirect.isHost(Substring(fields[0].text ?? ""))
            else { continue }
            let named = RedisRedirect.moved(host: fields[0].text ?? "", port: port).endpoint(from: current)
            if let named, named != current, !endpoints.contains(named) { endpoints.append(named) }
        }
        return Array(endpoints.prefix(limit))
    }
}
