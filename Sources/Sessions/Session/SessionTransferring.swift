/// Takes sessions to other nodes.
package protocol SessionTransferring: AnyObject, Sendable {
    /// Hands over a session that no request uses any more.
    func handOver(_ session: Session)
}
