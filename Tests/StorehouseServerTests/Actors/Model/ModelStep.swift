import JSON
import Stores

/// Whoever sends a request with a token.
struct ModelSender: Sendable, Hashable, CustomStringConvertible {
    /// Two spellings of one name in Unicode are two users.
    static let users: [ActorID] = ["ada", "bob", "carol", "caf\u{e9}", "cafe\u{301}"]

    enum Token: Sendable, Hashable {
        /// With all permissions.
        case plain
        /// With a role.
        case cashier
        /// Which only reads.
        case reading
        /// Which lists the session.
        case listing
    }

    var user: ActorID
    var token = Token.plain

    var roles: [String] { token == .cashier ? ["cashier"] : [] }
    var actor: ModelActor { ModelActor(kind: "user", id: user, roles: roles) }
    var description: String { token == .plain ? "\(user)" : "\(user) (\(token))" }

    /// Whether the token allows it.
    func may(_ permission: String) -> Bool { token != .reading || permission == "read" }
}

struct ModelActor: Sendable, Hashable {
    var kind: String
    var id: ActorID?
    var roles: [String] = []

    static let anonymous = ModelActor(kind: "anonymous", id: nil)

    var json: JSONValue {
        var json: JSONObject = ["kind": .string(kind)]
        json["id"] = id.map { .string($0.text) }
        json["roles"] = .array(roles.map { .string($0) })
        return .object(json)
    }
}

/// An action of the guild, as a client sends it.
enum ModelCall: Sendable, Hashable {
    case join, leave, touch
    /// The number of a user, and rights.
    case grant(Int, Int)
    /// The number of a text, and that of the client's own id; nil for one of the server.
    case post(Int, id: Int?)
    case price(Int)
    case open(Bool)
    /// An effect removes the user with this number. Its sender waits for it.
    case dismiss(Int)
    /// Only middleware may send it.
    case tick
    case unknown
    /// It has a field that the server fills.
    case forged
    /// Its payload is wrong.
    case wrong

    static func text(_ number: Int) -> String { "text \(number)" }
    static func id(_ number: Int) -> String { "the-own-id-of-a-client-\(number)" }

    var type: String {
        switch self {
        case .join: "guild/join"
        case .leave: "guild/leave"
        case .touch: "guild/touch"
        case .grant, .wrong: "guild/grant"
        case .post, .forged: "guild/post"
        case .price: "guild/price"
        case .open: "guild/open"
        case .dismiss: "guild/dismiss"
        case .tick: "guild/tick"
        case .unknown: "guild/nothing"
        }
    }

    /// Whether it has a field with the id of its sender.
    var namesSender: Bool { ["guild/leave", "guild/grant", "guild/post"].contains(type) }

    var json: JSONValue {
        var json: JSONObject = ["type": .string(type)]
        switch self {
        case .grant(let user, let rights):
            json["payload"] = ["who": .string(ModelSender.users[user].text), "rights": .integer(rights)]
        case .post(let text, let id):
            var payload: JSONObject = ["text": .string(Self.text(text))]
            payload["id"] = id.map { .string(Self.id($0)) }
            json["payload"] = .object(payload)
        case .price(let cents): json["payload"] = ["cents": .integer(cents)]
        case .open(let isOpen): json["payload"] = ["isOpen": .bool(isOpen)]
        case .dismiss(let user): json["payload"] = ["who": .string(ModelSender.users[user].text)]
        case .forged: json["payload"] = ["text": "forged", "author": "ada"]
        case .wrong: json["payload"] = ["who": "bob", "rights": 16]
        case .join, .leave, .touch, .tick, .unknown: break
        }
        return .object(json)
    }
}

/// What an action, or a batch of more than one, is sent with.
struct ModelPost: Sendable, Hashable {
    var calls: [ModelCall]
    var isDryRun = false
    /// The number of an idempotency key.
    var key: Int?

    var isBatch: Bool { calls.count > 1 }
    /// The user whom an effect removes; it is the only call then.
    var dismissed: ActorID? { if case .dismiss(let user)? = calls.first { ModelSender.users[user] } else { nil } }
    var json: JSONValue { isBatch ? .array(calls.map(\.json)) : calls[0].json }
}

/// What the maker of a share wants.
struct ModelShareWish: Sendable, Hashable {
    var mayAct = true
    /// The types of actions that it allows; nil for all.
    var actions: [String]?
    /// The number of a guest; nil for an anonymous holder.
    var guest: Int?
    var roles: [String] = []
    var selection = ""

    var json: JSONValue {
        var json: JSONObject = [
            "may": mayAct ? ["read", "act"] : ["read"], "select": .string(selection),
        ]
        json["actions"] = actions.map { .array($0.map { .string($0) }) }
        json["as"] = guest.map { ["id": .string("\($0)"), "roles": .array(roles.map { .string($0) })] }
        return .object(json)
    }
}

/// What a stream shows.
enum ModelStreamForm: String, Sendable, CaseIterable {
    case whole = ""
    case patches = "?changes=patch"
    case count = "?select=/count"
    case size = "?select=size"
    case actions = "?actions=true"
    case countWithActions = "?select=/count&actions=true"

    var selection: String {
        switch self {
        case .whole, .patches, .actions: ""
        case .count, .countWithActions: "/count"
        case .size: "size"
        }
    }

    var hasActions: Bool { self == .actions || self == .countWithActions }
}

enum ModelVerb: Sendable, Hashable {
    case create
    case read(selection: String)
    /// The state so many revisions ago.
    case recall(Int)
    case document
    case log
    case refused
    case act(ModelPost)
    /// Of the state so many revisions ago.
    case fork(Int)
    case end
    case share(ModelShareWish)
    case listShares
    case revoke(Int)
    case revokeAll
    case stream(ModelStreamForm)
    /// The client ends a stream.
    case leaveStream(Int)
    case readShare(Int)
    case actByShare(Int, ModelPost)
    case streamShare(Int, ModelStreamForm)
    /// Sessions that nobody uses leave memory.
    case rest
}

/// One step of somebody. Its numbers are taken modulo what there is, so that it means something whatever came before.
struct ModelStep: Sendable, CustomStringConvertible {
    /// The number of whatever is newest when the step is made.
    static let newest = -1

    /// The index of that which a number names.
    static func index(_ number: Int, among count: Int) -> Int { number == newest ? count - 1 : number % count }

    var sender: ModelSender
    var session: Int
    /// The node that it asks.
    var node: Int
    var verb: ModelVerb
    /// Whether a visitor is removed between the question whether it may enter and what it asks for, and then let in again.
    var isInterrupted = false

    var description: String {
        let verb = "\(verb)".replacing(/[A-Za-z]+\.(?=Model)/, with: "")
        return "\(sender), session \(session), node \(node): \(verb)\(isInterrupted ? ", interrupted" : "")"
    }
}
