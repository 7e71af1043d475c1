import StoreHosting
package import Stores

/// The actor, or the permit, that a client belongs to. The same client id has one record in each scope.
package struct ClientScope: Sendable {
    fileprivate let text: String
    fileprivate let isOfActor: Bool

    /// Whoever holds the id of the session.
    package static let holder = ClientScope(text: "", isOfActor: false)

    /// The holder of a permit that names nobody.
    package static func permit(_ id: String) -> ClientScope { ClientScope(text: "permit\n\(id)", isOfActor: false) }

    /// A user or a guest; nil for other actors, which have no name.
    package static func actor(_ actor: Actor) -> ClientScope? {
        guard actor.kind == .user || actor.kind == .guest else { return nil }
        return ClientScope(text: "\(actor.kind.rawValue)\n\(actor.id)", isOfActor: true)
    }
}

/// A client of a session: a hash of its id and scope, so that nothing in storage gives the right to send as it.
package struct ClientKey: Sendable, Hashable {
    let high: UInt64
    let low: UInt64
    /// The user or guest whose client it is, hashed; 0 for all other clients.
    let actor: UInt64

    /// - Parameter id: 22 to 64 characters of URL-safe base64.
    package init(_ id: String, _ scope: ClientScope) {
        // An id has no line feed.
        let hash = SHA256.hash(Array("\(id)\n\(scope.text)".utf8))
        (high, low) = (UInt64(bigEndian: hash[...]), UInt64(bigEndian: hash[8...]))
        actor = scope.isOfActor ? UInt64(bigEndian: SHA256.hash(Array(scope.text.utf8))[...]) : 0
    }

    init(high: UInt64, low: UInt64, actor: UInt64) { (self.high, self.low, self.actor) = (high, low, actor) }
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
