/// Decides whether a node may take part while nodes of an earlier release have leases, which cannot speak to it.
///
/// The lease of a node that has died only has to end. A node that renews its lease is alive, and somebody has to stop it.
package struct EarlierNodes: Sendable {
    package enum Step: Sendable, Equatable {
        case join
        /// The lease of this node has not ended.
        case wait(String)
        /// This node is alive.
        case refuse(String)
    }

    /// When their leases ended as they were seen first, by their addresses.
    private var firstEnds: [String: Int] = [:]

    package init() {}

    /// - Parameter ends: when the leases end of the nodes that have any, by their addresses.
    package mutating func look(_ ends: [String: Int]) -> Step {
        for (node, end) in ends.sorted(by: { $0.key < $1.key }) {
            let first = firstEnds[node] ?? end
            firstEnds[node] = first
            if end > first { return .refuse(node) }
        }
        return ends.keys.min().map { .wait($0) } ?? .join
    }
}
