import JSON
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// The state of a card game, whose players see their own hands only.
struct CardGame: Sendable, Equatable {
    var hands: [ActorID: [String]] = [:]
    var turns = 0
    /// Makes the state large.
    var text = ""
}

extension CardGame {
    /// Each user may read, act and share.
    static let kind: StoreKind = {
        let done = Action<CardGame, String>(
            "done", "The player gets the card that it has waited for.", .text("to", 1...80, example: "ada"),
            audience: .internal
        ) { game, to in game.hands[ActorID(to), default: []].append("late") }
        let wait = Action<CardGame, Filled<ActorID>>("wait", "Gets the sender a card later.", .user("by")) { game, _ in
            game.turns += 1
        }
        return StoreDefinition("cards", "A card game.", CardGame()) {
            Member("hands", \.hands, .hidden)
            Member("turns", \.turns)
            Member("text", \.text)
            wait
            done
            Action(
                "deal", "Gives a player a card.", .text("to", 1...80, example: "ada"),
                .text("card", 1...80, example: "ace")
            ) { game, to, card in game.hands[ActorID(to), default: []].append(card) }
            Action("turn", "Ends a turn.") { game in game.turns += 1 }
            Action("fill", "Makes the state so large.", .integer("kibibytes", 0...4096)) { game, size in
                game.text = String(repeating: "x", count: size << 10)
            }
            MiddlewareFunction { commit in
                guard let player = wait.values(in: commit.action) else { return .none }
                return .run("cards.wait", .parallel) { done(player.value.text) }
            }
            Selector("hand", "The cards of the reader.") { game, reader in game.hands[reader.id] ?? [] }
            Selector("who", "The reader, and the turns.") { game, reader in Reader(actor: reader, turns: game.turns) }
            Selector("players", "How many have cards.") { game in game.hands.count }
            Access { _, actor in actor.kind == .user ? [.read, .act, .share] : [] }
        }.kind
    }()

    private struct Reader: Codable, Sendable {
        let actor: Actor
        let turns: Int
    }

    static func deal(_ card: String, to player: String) -> JSONValue {
        ["type": "cards/deal", "payload": ["to": .string(player), "card": .string(card)]]
    }

    static let turn: JSONValue = ["type": "cards/turn"]
}

/// A session of that kind on a server in token mode, whose owner is Ada, and where a client asks for it.
struct CardTable: Sendable {
    let server: any TestServing
    let path: String

    static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        TestTokens.configuration {
            $0.sessions.defaultStore = "cards"
            $0.http.maxWait = .seconds(3600)
            change(&$0)
        }
    }

    static func make(on server: any TestServing) async throws -> CardTable {
        CardTable(server: server, path: try await server.sessionPath(of: "ada", store: "cards"))
    }

    func at(_ server: any TestServing) -> CardTable { CardTable(server: server, path: path) }

    /// Reads a value as a user; that of the hand if no other is named.
    func read(
        _ query: String = "?select=hand", as user: String, roles: [String]? = nil, _ fields: [(String, String)] = []
    ) async throws -> TestResponse {
        try await server.get(path + "/state" + query, Self.field(user, roles) + fields)
    }

    func post(
        _ body: JSONValue, _ query: String = "?select=hand", as user: String, _ fields: [(String, String)] = []
    ) async throws -> TestResponse {
        try await server.post(path + "/actions" + query, Self.field(user) + fields, json: body)
    }

    func deal(_ card: String, to player: String) async throws {
        #expect(try await post(CardGame.deal(card, to: player), "", as: "ada").status == 200)
    }

    func events(
        _ query: String = "?select=hand", as user: String, roles: [String]? = nil, _ fields: [(String, String)] = []
    ) async throws -> EventReader {
        try await LiveSession(server: server, path: path).events(query: query, Self.field(user, roles) + fields)
    }

    func share(_ body: JSONValue, by user: String = "ada") async throws -> TestShare {
        try TestShare(try await server.send("POST", path + "/shares", as: user, nil, body), of: server)
    }

    /// The fields of a user, with roles.
    static func field(_ user: String, _ roles: [String]? = nil) -> [(String, String)] {
        guard let roles else { return TestTokens.field(of: user) }
        return TestTokens.field(of: user, ["roles": .array(roles.map { .string($0) })])
    }
}
