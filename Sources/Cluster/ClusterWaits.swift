/// How long a node waits for other nodes, and for requests in progress. Only tests change it: what they expect must not depend on
/// the speed of a machine.
package struct ClusterWaits: Sendable, Hashable {
    /// How long it may take to connect.
    package var connection = Duration.seconds(1)
    /// How long the other end of a new connection may take to prove that it is a node.
    package var proof = Duration.seconds(5)
    /// A connection between nodes is looked at so often: see ``LinkSilence``. All nodes have the same interval.
    package var silence = Duration.seconds(10)
    /// A node that does not answer within this time is left out of lists for operators.
    package var lists = Duration.seconds(1)
    /// How long a request to the node's own address may take.
    package var ownAddress = Duration.seconds(5)
    /// How long requests for a session that is to be handed over wait for those in progress.
    package var handover = Duration.milliseconds(100)

    package init() {}
}
