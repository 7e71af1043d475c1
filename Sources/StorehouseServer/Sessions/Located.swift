/// The session of a request, as far as this node has found it.
struct Located: Sendable {
    /// Nil if another node has answered the request.
    let found: SessionRegistry.Lookup?
    /// Whether a node that is gone may have done what the request asks for.
    var mayBeDone = false

    init(_ found: SessionRegistry.Lookup?, mayBeDone: Bool = false) {
        self.found = found
        self.mayBeDone = mayBeDone
    }
}
