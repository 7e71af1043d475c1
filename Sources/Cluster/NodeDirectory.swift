/// A node's knowledge of the other nodes: which are alive, which do not answer, and which sessions they own.
///
/// An entry about an owner may be out of date. Then the node that it names refuses the request; see ``forget(_:of:)``. All times are
/// milliseconds of a monotonic clock.
package struct NodeDirectory<ID: Hashable & Sendable>: Sendable {
    private let maxOwners: Int
    private let maxGone: Int
    private var owners: [ID: String] = [:]
    private var alive: Set<String> = []
    /// Nodes that were alive before.
    private var gone: Set<String> = []
    /// The nodes that do not answer although their leases hold.
    private var silent: [String: LastingProblem] = [:]

    /// - Parameters:
    ///   - maxOwners: how many owners of sessions to remember.
    ///   - maxGone: how many dead nodes to remember.
    package init(maxOwners: Int = 1 << 16, maxGone: Int = 1024) {
        self.maxOwners = maxOwners
        self.maxGone = maxGone
    }

    package func owner(of id: ID) -> String? { owners[id] }

    package mutating func remember(_ owner: String, of id: ID) {
        // The owners can be asked of Redis again. This is rare, and cheaper than an order of use.
        if owners.count >= maxOwners, owners[id] == nil { owners = [:] }
        owners[id] = owner
    }

    /// A node does not have a session, or cannot be reached. What was learned since is kept.
    package mutating func forget(_ owner: String, of id: ID) {
        if owners[id] == owner { owners[id] = nil }
    }

    package func isAlive(_ node: String) -> Bool { alive.contains(node) }

    /// Whether the lease of a node has ended, as far as this one knows.
    package func isGone(_ node: String) -> Bool { gone.contains(node) }

    /// Takes the nodes whose leases hold.
    ///
    /// - Returns: the nodes that were not alive before, and those that are not alive any more.
    package mutating func take(_ nodes: Set<String>) -> (joined: Set<String>, left: Set<String>) {
        let (joined, left) = (nodes.subtracting(alive), alive.subtracting(nodes))
        alive = nodes
        gone = (gone.count < maxGone ? gone : []).union(left).subtracting(nodes)
        if !left.isEmpty {
            silent = silent.filter { !left.contains($0.key) }
            owners = owners.filter { !left.contains($0.value) }
        }
        return (joined, left)
    }

    /// Whether there are nodes that do not answer.
    package var hasSilentNodes: Bool { !silent.isEmpty }

    /// A node could not be reached, or has not answered in time.
    ///
    /// - Returns: whether to log it. Only a problem that lasts while the node's lease holds is logged. A node that has just left does
    ///   not answer either, and this one may learn a moment later that the lease has ended.
    package mutating func didNotAnswer(_ node: String, _ reason: String, now: Int) -> Bool {
        guard isAlive(node) else { return false }
        return silent[node, default: LastingProblem(firstAfter: 1000, changedAfter: 60_000, sameAfter: 60_000)]
            .occurs(reason, now: now)
    }

    /// A node has answered.
    ///
    /// - Returns: whether to log it: its silence was logged.
    package mutating func hasAnswered(_ node: String) -> Bool { silent.removeValue(forKey: node)?.isLogged ?? false }
}
