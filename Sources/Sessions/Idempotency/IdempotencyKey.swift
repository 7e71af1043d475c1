/// Names a request that its client may send again; see ``Idempotency``.
package struct IdempotencyKey: Sendable {
    package var text: String

    package init(text: String) {
        self.text = text
    }

    /// Makes it another key than the same text of any other owner.
    package mutating func belongs(to owner: String) {
        // No client can send a key with a line break.
        text = "\(owner)\n\(text)"
    }
}
