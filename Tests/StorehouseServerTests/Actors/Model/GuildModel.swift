import JSON
import Stores

/// A second implementation of the guild, which shares no code with its kind.
///
/// Values that the server makes up have names in place of values, which ``ModelBindings`` knows once they were seen.
struct GuildModel: Sendable {
    private(set) var rights: [ActorID: Int] = [:]
    private var isOpen = false
    private var posts: [JSONValue] = []
    private var lastPost: (author: ActorID, text: Int)?
    private var entries: [JSONValue] = []
    private var count = 0
    private var price = 0

    var json: JSONValue {
        let members = rights.sorted { $0.key < $1.key }.map { ($0.key.text, JSONValue.integer($0.value)) }
        return [
            "rights": .object(JSONObject(members)), "isOpen": .bool(isOpen), "posts": .array(posts),
            "entries": .array(entries), "count": .integer(count), "price": .integer(price),
        ]
    }

    /// The value of a selection.
    func value(_ selection: String) -> JSONValue {
        switch selection {
        case "": json
        case "/count": .integer(count)
        default: .integer(rights.count)
        }
    }

    /// The rights that the state gives to a user who does not own the session.
    func rights(of user: ActorID) -> Int { rights[user] ?? (isOpen ? 3 : 0) }
}

// Actions.
extension GuildModel {
    enum Outcome {
        /// The payload that the log shows.
        case committed(JSONObject)
        case ignored
        case rejected(String)
    }

    /// Why an action does not reach the store; nil if it does.
    static func refusal(_ call: ModelCall, by actor: ModelActor) -> (status: Int, code: String)? {
        switch call {
        case .unknown: (422, "unknown-action")
        case .tick: (403, "internal-action")
        case .price where !actor.roles.contains("cashier"): (403, "role-required")
        case _ where call.namesSender && actor.id == nil: (403, "identity-required")
        case .forged, .wrong: (422, "invalid-payload")
        default: nil
        }
    }

    /// - Parameter number: names what the server makes up.
    mutating func apply(_ call: ModelCall, by actor: ModelActor, now: JSONValue, number: Int) -> Outcome {
        switch call {
        case .touch: count += 1
        case .dismiss(let user):
            count += 1
            return .committed(["who": .string(ModelSender.users[user].text)])
        case .price(let cents):
            price = cents
            return .committed(["cents": .integer(cents)])
        case .open(let isOpen):
            self.isOpen = isOpen
            return .committed(["isOpen": .bool(isOpen)])
        case .join: return join(actor, now: now)
        case .leave, .grant, .post: return apply(call, by: actor.id ?? "", now: now, number: number)
        case .unknown, .tick, .forged, .wrong: preconditionFailure("it was refused")
        }
        return .committed([:])
    }

    /// Applies the action that the effect of a dismissal sends.
    mutating func expel(_ user: ActorID) {
        rights[user] = nil
        count += 1
    }

    private mutating func join(_ actor: ModelActor, now: JSONValue) -> Outcome {
        guard let user = actor.id else { return .rejected("nobody") }
        guard rights[user] == nil else { return .ignored }
        rights[user] = 3
        entries = (entries + [["who": actor.json, "at": now]]).suffix(GuildKind.memory)
        return .committed(["who": actor.json, "at": now])
    }

    private mutating func apply(_ call: ModelCall, by user: ActorID, now: JSONValue, number: Int) -> Outcome {
        let by = JSONValue.string(user.text)
        switch call {
        case .leave:
            guard rights.removeValue(forKey: user) != nil else { return .ignored }
            return .committed(["by": by])
        case .grant(let other, let given):
            let who = ModelSender.users[other]
            guard who != user else { return .rejected("not-yourself") }
            rights[who] = given == 0 ? nil : given
            return .committed(["by": by, "who": .string(who.text), "rights": .integer(given)])
        case .post(let text, let id):
            if let last = lastPost, last.author == user, last.text == text { return .rejected("twice") }
            let post: JSONObject = [
                "id": .string(id.map(ModelCall.id) ?? ModelBindings.id(number)), "author": by, "at": now,
                "text": .string(ModelCall.text(text)),
            ]
            lastPost = (user, text)
            posts = (posts + [.object(post)]).suffix(GuildKind.memory)
            return .committed(post)
        default: preconditionFailure("it needs no user")
        }
    }
}
