import CPortable

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
        contents = Contents(ActorValues(kind: kind, id: id, name: name, roles: roles))
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
    public var kind: Kind { contents.values.kind }

    /// Tells actors apart; empty for an anonymous actor and for the system.
    public var id: ActorID { contents.values.id }

    /// The name for people to read; nil if there is none. Several actors may have one name.
    public var name: String? { contents.values.name }

    /// The roles, at most 32 of 1 to 64 characters if a token has given them.
    public var roles: [String] { contents.values.roles }

    /// Whether the actor has a role: one with these bytes.
    public func has(_ role: String) -> Bool { roles.contains { Self.areEqual($0, role) } }

    /// The actor as JSON, which `encode` makes once.
    package func cachedJSON(_ encode: (Actor) -> [UInt8]) -> [UInt8] {
        (contents.json ?? contents.keep(EncodedActor(encode(self)))).bytes
    }

    private static func areEqual(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}

private struct ActorValues: Sendable {
    let kind: Actor.Kind
    let id: ActorID
    let name: String?
    let roles: [String]
}

/// The values of an actor and its JSON, in one allocation.
private struct Contents: @unchecked Sendable {
    // Sendable, because the values never change, and all access to the address is atomic.
    private final class Storage: ManagedBuffer<ActorValues, UInt> {
        deinit { withUnsafeMutablePointerToElements { Contents.object(at: once_word_load($0))?.release() } }
    }

    /// The element is the address of the JSON, which this owns; 0 if nobody has asked for it.
    private let storage: ManagedBuffer<ActorValues, UInt>

    init(_ values: ActorValues) {
        storage = Storage.create(minimumCapacity: 1) { _ in values }
        storage.withUnsafeMutablePointerToElements { $0.initialize(to: 0) }
    }

    var values: ActorValues { storage.header }

    var json: EncodedActor? {
        storage.withUnsafeMutablePointerToElements { Self.object(at: once_word_load($0))?.takeUnretainedValue() }
    }

    /// - Returns: the JSON that is kept, which another thread may have made.
    func keep(_ json: EncodedActor) -> EncodedActor {
        let new = Unmanaged.passRetained(json)
        let address = UInt(bitPattern: new.toOpaque())
        let kept = storage.withUnsafeMutablePointerToElements { once_word_set($0, address) }
        if kept == address { return json }
        new.release()
        return Self.object(at: kept)?.takeUnretainedValue() ?? json
    }

    static func isSame(_ one: Contents, _ other: Contents) -> Bool { one.storage === other.storage }

    private static func object(at address: UInt) -> Unmanaged<EncodedActor>? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }
}

private final class EncodedActor: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension Actor: Hashable {
    /// Whether two actors are the same in all that is known of them. Texts are compared by their bytes.
    public static func == (one: Actor, other: Actor) -> Bool {
        Contents.isSame(one.contents, other.contents)
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
