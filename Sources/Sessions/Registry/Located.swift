/// The session of a request, as far as this node has found it.
package struct Located: Sendable {
    /// Nil if another node has answered the request.
    package let found: SessionRegistry.Lookup?
    /// Whether a node that is gone may have done what the request asks for.
    package var mayBeDone = false

    package init(_ found: SessionRegistry.Lookup?, mayBeDone: Bool = false) {
        self.found = found
        self.mayBeDone = mayBeDone
    }
}
