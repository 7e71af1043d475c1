/// Names a request that its client may send again; see ``Idempotency``.
struct IdempotencyKey: Sendable {
    var text: String

    /// Makes it another key than the same text of any other owner.
    mutating func belongs(to owner: String) {
        // No client can send a key with a line break.
        text = "\(owner)\n\(text)"
    }
}
