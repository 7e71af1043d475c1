import Locks

/// The sender of an action, as a server knows it: a user with a token, a guest, somebody without a name, or the store itself.
///
/// A server takes it from the verified credentials of a request. A client cannot choose it. A store without a server takes the
/// senders of its actions for anonymous.
public struct Actor: Sendable {
    /// The kinds of actors.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        /// The subject of a token.
        case user
        /// The holder of a share that names its holder.
        case guest
        /// Anybody else.
        case anonymous
        /// A timer, an effect, a middleware, or the host of the store.
        case system
    }

    // One reference, because each action with an actor carries it.
    private let contents: Contents

    private init(_ kind: Kind, _ id: ActorID = ActorID(""), name: String? = nil, roles: [String] = []) {
        contents = Contents(kind: kind, id: id, name: name, roles: roles)
    }

    /// Somebody whose name the server does not know.
    public static let anonymous = Actor(.anonymous)

    /// The store itself.
    public static let system = Actor(.system)

    /// A user.
    ///
    /// - Parameters:
    ///   - id: the subject of the user's token.
    ///   - name: for people to read; nil if there is none.
    ///   - roles: those that the token gives.
    public static func user(_ id: ActorID, name: String? = nil, roles: [String] = []) -> Actor {
        Actor(.user, id, name: name, roles: roles)
    }

    /// A guest.
    ///
    /// - Parameters:
    ///   - id: begins with `guest:`.
    ///   - name: for people to read; nil if there is none.
    ///   - roles: those that were given to the guest.
    public static func guest(_ id: ActorID, name: String? = nil, roles: [String] = []) -> Actor {
        Actor(.guest, id, name: name, roles: roles)
    }

    /// The kind of actor.
    public var kind: Kind { contents.kind }

    /// Tells actors apart; empty for an anonymous actor and for the system.
    public var id: ActorID { contents.id }

    /// The name for people to read; nil if there is none. Several actors may have one name.
    public var name: String? { contents.name }

    /// The roles, at most 32 of 1 to 64 characters if a token has given them.
    public var roles: [String] { contents.roles }

    /// Whether the actor has a role: one with these bytes.
    public func has(_ role: String) -> Bool { roles.contains { Self.areEqual($0, role) } }

    /// The actor as JSON, which `encode` makes once.
    package func cachedJSON(_ encode: (Actor) -> [UInt8]) -> [UInt8] {
        if let json = contents.json.load() { return json.bytes }
        return contents.json.storeIfNil(EncodedActor(encode(self))).bytes
    }

    private static func areEqual(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}

/// The values of an actor.
private final class Contents: Sendable {
    let kind: Actor.Kind
    let id: ActorID
    let name: String?
    let roles: [String]
    let json = LazyReference<EncodedActor>()

    init(kind: Actor.Kind, id: ActorID, name: String?, roles: [String]) {
        self.kind = kind
        self.id = id
        self.name = name
        self.roles = roles
    }
}

private final class EncodedActor: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension Actor: Hashable {
    /// Whether two actors are the same in all that is known of them. Texts are compared by their bytes.
    public static func == (one: Actor, other: Actor) -> Bool {
        one.contents === other.contents
            || one.kind == other.kind && one.id == other.id && one.roles.elementsEqual(other.roles, by: areEqual)
                && (one.name == nil) == (other.name == nil) && areEqual(one.name ?? "", other.name ?? "")
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(id)
    }
}

extension Actor: Codable {
    private enum CodingKeys: String, CodingKey { case kind, id, name, roles }

    /// An id and roles that are not there are empty.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try members.decode(Kind.self, forKey: .kind),
            try members.decodeIfPresent(ActorID.self, forKey: .id) ?? ActorID(""),
            name: try members.decodeIfPresent(String.self, forKey: .name),
            roles: try members.decodeIfPresent([String].self, forKey: .roles) ?? [])
    }

    /// Leaves out the id and the name where there are none.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind, forKey: .kind)
        if !id.isEmpty { try members.encode(id, forKey: .id) }
        try members.encodeIfPresent(name, forKey: .name)
        try members.encode(roles, forKey: .roles)
    }
}
