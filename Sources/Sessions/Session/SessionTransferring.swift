/// Takes sessions to other nodes.
package protocol SessionTransferring: AnyObject, Sendable {
    /// Hands over a session that no request uses any more.
    func handOver(_ session: Session)

    /// Takes a session out of the registry as the server drains, so that any node can have it, unless it is in use.
    ///
    /// - Returns: whether it has left.
    func giveBack(_ session: Session) -> Bool
}
