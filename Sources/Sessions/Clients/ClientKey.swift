import StoreHosting
package import Stores

/// The actor, or the permit, that a client belongs to. The same client id has one record in each scope.
package struct ClientScope: Sendable {
    fileprivate let text: String

    /// Whoever holds the id of the session.
    package static let holder = ClientScope(text: "")

    /// The holder of a permit that names nobody: an actor of its own.
    package static func permit(_ id: String) -> ClientScope { ClientScope(text: "permit\n\(id)") }

    /// A user or a guest; nil for other actors, which have no name.
    package static func actor(_ actor: Actor) -> ClientScope? {
        guard actor.kind == .user || actor.kind == .guest else { return nil }
        return ClientScope(text: "\(actor.kind.rawValue)\n\(actor.id)")
    }
}

/// A client of a session: a hash of its id and scope, so that nothing in storage gives the right to send as it.
package struct ClientKey: Sendable {
    let high: UInt64
    let low: UInt64
    /// The actor whose client it is, hashed; 0 for whoever holds the id of the session.
    let actor: UInt64

    /// - Parameter id: 22 to 64 characters of URL-safe base64.
    package init(_ id: String, _ scope: ClientScope) {
        // An id has no line feed.
        let hash = SHA256.hash(Array("\(id)\n\(scope.text)".utf8))
        (high, low) = (UInt64(bigEndian: hash[...]), UInt64(bigEndian: hash[8...]))
        actor = scope.text.isEmpty ? 0 : UInt64(bigEndian: SHA256.hash(Array(scope.text.utf8))[...])
    }

    init(high: UInt64, low: UInt64, actor: UInt64) { (self.high, self.low, self.actor) = (high, low, actor) }
}

// The hash has the actor in it. Rows of earlier releases do not name the actor of a permit.
extension ClientKey: Hashable {
    package static func == (one: ClientKey, other: ClientKey) -> Bool { (one.high, one.low) == (other.high, other.low) }

    package func hash(into hasher: inout Hasher) { hasher.combine(low) }
}

/// An entry that is being decided. The commit of the entry carries it to those who watch commits.
package final class EntryTag: Sendable {
    let key: ClientKey
    let number: Int

    package init(_ key: ClientKey, _ number: Int) { (self.key, self.number) = (key, number) }
}

extension UInt64 {
    /// The first eight bytes.
    init(bigEndian bytes: ArraySlice<UInt8>) { self = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
