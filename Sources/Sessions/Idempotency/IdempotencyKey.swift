import Security
import StoreHosting
package import Stores

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

    /// Makes it another key than the same text of any other actor. What is stored with it does not tell the actor's id.
    package mutating func belongs(to actor: Actor) {
        let hash = SHA256.hash(Array("\(actor.kind.rawValue)\n".utf8) + Array(actor.id.text.utf8))
        belongs(to: Base64URL.encode(Array(hash.prefix(12))))
    }
}
