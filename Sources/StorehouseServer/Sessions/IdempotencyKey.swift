/// Names a request that its client may send again; see ``Idempotency``.
struct IdempotencyKey: Sendable {
    private(set) var text: String

    init(text: String) { self.text = text }

    /// Makes it another key than the same text of any other owner.
    mutating func belongs(to owner: String) {
        // No client can send a key with a line break.
        text = "\(owner)\n\(text)"
    }
}
