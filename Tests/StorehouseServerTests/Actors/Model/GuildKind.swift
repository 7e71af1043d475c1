import Locks
import StoreHosting
import Stores

/// The state of a kind with all that can depend on who acts.
private struct Guild: Sendable, Equatable {
    /// The rights of the members, as their sum of bits.
    var rights: [ActorID: Int] = [:]
    /// Whether every user may read and act.
    var isOpen = false
    /// The latest ones, the oldest first.
    var posts: [GuildPost] = []
    var entries: [GuildEntry] = []
    var count = 0
    var price = 0
}

private struct GuildPost: Codable, Sendable, Equatable {
    var id: String
    var author: ActorID
    var at: Int
    var text: String
}

private struct GuildEntry: Codable, Sendable, Equatable {
    var who: Actor
    var at: Int
}

/// The kind that ``GuildModel`` is a model of. It has each filled field, a role, an internal action, and access from its state.
final class GuildKind: Sendable {
    /// How many posts and entries are kept.
    static let memory = 3

    /// How many questions are still answered by the state; nil for all. The others get no right.
    private let answersLeft = Locked<Int?>(nil)

    var kind: StoreKind {
        StoreDefinition("guild", "A guild with members.", Guild()) {
            Member("rights", \.rights)
            Member("isOpen", \.isOpen)
            Member("posts", \.posts)
            Member("entries", \.entries)
            Member("count", \.count)
            Member("price", \.price)
            Access { [self] guild, actor in answers() ? Self.rights(of: actor, in: guild) : [] }
            Self.join
            Self.leave
            Self.grant
            Self.post
            Self.price
            Self.open
            Self.touch
            Self.tick
            Self.dismiss
            Self.expel
            MiddlewareFunction { commit in
                guard let who = Self.dismiss.values(in: commit.action) else { return .none }
                return .run("guild.dismiss", .parallel) { Self.expel(who) }
            }
            Selector("size", "How many members there are.") { $0.rights.count }
        }.kind
    }

    /// As if the actor were removed after so many questions; nil for never.
    func answers(only count: Int?) { answersLeft.withLock { $0 = count } }

    private func answers() -> Bool {
        answersLeft.withLock { left in
            defer { left = left.map { $0 - 1 } }
            return left.map { $0 > 0 } ?? true
        }
    }

    private static func rights(of actor: Actor, in guild: Guild) -> AccessRights {
        if let rights = guild.rights[actor.id] { return AccessRights(rawValue: UInt8(rights)) }
        return guild.isOpen && actor.kind == .user ? [.read, .act] : []
    }

    private static let price = Action<Guild, Int>(
        "price", "Sets the price.", .integer("cents", 0...9), audience: .role("cashier")
    ) { guild, cents in guild.price = cents }

    private static let open = Action<Guild, Bool>(
        "open", "Lets everybody in, or not.", .boolean("isOpen", example: true)
    ) { guild, isOpen in guild.isOpen = isOpen }

    private static let touch = Action<Guild, Void>("touch", "Counts.") { guild in guild.count += 1 }

    private static let tick = Action<Guild, Void>("tick", "Counts by itself.", audience: .internal) { guild in
        guild.count += 1
    }

    private static let dismiss = Action<Guild, String>(
        "dismiss", "Counts, and removes a user a moment later.", .text("who", 1...80, example: "bob")
    ) { guild, _ in guild.count += 1 }

    private static let expel = Action<Guild, String>(
        "expel", "Removes a user, and counts.", .text("who", 1...80, example: "bob"), audience: .internal
    ) { guild, who in
        guild.rights[ActorID(who)] = nil
        guild.count += 1
    }

    private static let post = Action<Guild, (Filled<ActorID>, Filled<Int>, Filled<String>, String)>(
        "post", "The sender says something.", .user("author"), .now("at"), .id("id"),
        .text("text", 1...80, example: "Hello"),
        rules: .reject("twice") { guild, user, _, _, text in
            guild.posts.last.map { $0.author == user && $0.text == text } ?? false
        }
    ) { guild, user, time, id, text in
        guild.posts.append(GuildPost(id: id, author: user, at: time, text: text))
        guild.posts = guild.posts.suffix(memory)
    }

    private static let grant = Action<Guild, (Filled<ActorID>, String, Int)>(
        "grant", "Gives another user these rights, and no others.", .user("by"),
        .text("who", 1...80, example: "bob"), .integer("rights", 0...15),
        rules: .reject("not-yourself") { _, user, who, _ in user == ActorID(who) }
    ) { guild, _, who, rights in guild.rights[ActorID(who)] = rights == 0 ? nil : rights }

    private static let join = Action<Guild, (Filled<Actor>, Filled<Int>)>(
        "join", "The sender enters.", .actor("who"), .now("at"),
        rules: .reject("nobody") { _, who, _ in who.id.isEmpty },
        .ignore { guild, who, _ in guild.rights[who.id] != nil }
    ) { guild, who, time in
        guild.rights[who.id] = 3
        guild.entries.append(GuildEntry(who: who, at: time))
        guild.entries = guild.entries.suffix(memory)
    }

    private static let leave = Action<Guild, Filled<ActorID>>(
        "leave", "The sender leaves.", .user("by"), rules: .ignore { guild, user in guild.rights[user] == nil }
    ) { guild, user in guild.rights[user] = nil }
}
