import JSON
import StoreHosting
import Stores
import Testing

private struct Hand: Codable, Sendable, Equatable {
    var cards: [String]
}

private struct Game: Sendable, Equatable {
    var hands: [ActorID: [String]] = [:]
    var turns = 0
}

private let deal = Action<Game, (Filled<ActorID>, String)>(
    "deal", "Takes a card.", .user("by"), .text("card", 1...80, example: "ace")
) { game, player, card in game.hands[player, default: []].append(card) }

private let game = StoreDefinition("cards", "A card game.", Game()) {
    Member("hands", \.hands, .hidden)
    Member("turns", \.turns)
    deal
    Selector("hand", "The cards of the reader.") { game, reader in game.hands[reader.id] ?? [] }
    Selector("codable", "The cards of the reader.") { game, reader in Hand(cards: game.hands[reader.id] ?? []) }
    Selector("players", "How many have cards.") { game in game.hands.count }
}

/// Named values of a definition, for all readers or for each reader.
@Suite struct SelectorTests {
    private static let state = Game(hands: ["ada": ["ace"], "bob": ["king", "ten"]])

    @Test func eachPlayerSeesItsOwnCards() {
        let state = Game(hands: ["ada": ["ace"], "bob": ["king", "ten"]])
        #expect(game.selected("hand", of: state, for: .user("ada")) == ["ace"])
        #expect(game.selected("hand", of: state, for: .user("bob")) == ["king", "ten"])
        #expect(game.selected("hand", of: state) == [])
    }

    @Test func itsValueMayBeAnyCodableType() {
        #expect(game.selected("codable", of: Self.state, for: .user("ada")) == ["cards": ["ace"]])
        #expect(game.selected("codable", of: Self.state) == ["cards": []])
    }

    @Test func oneWithoutAReaderHasOneValueForAll() {
        #expect(game.selected("players", of: Self.state, for: .user("ada")) == 2)
        #expect(game.selected("players", of: Self.state) == 2)
        #expect(game.selected("nothing", of: Self.state) == nil)
    }

    @Test func readersAreToldApartByTheBytesOfTheirIDs() {
        let state = Game(hands: ["ren\u{e9}": ["ace"]])
        #expect(game.selected("hand", of: state, for: .user("ren\u{e9}")) == ["ace"])
        #expect(game.selected("hand", of: state, for: .user("rene\u{301}")) == [])
        let one = Selection.personal("hand", at: .root, for: .user("ren\u{e9}"))
        #expect(one != .personal("hand", at: .root, for: .user("rene\u{301}")))
        #expect(one != .personal("hand", at: .root, for: .user("ren\u{e9}", roles: ["dealer"])))
        #expect(one == .personal("hand", at: .root, for: .user("ren\u{e9}")))
    }

    @Test func aStoreShowsEachReaderItsOwnValue() throws {
        let store = game.kind.makeStore()
        let options = DispatchOptions(
            selection: .personal("hand", at: .root, for: .user("ada")), actor: .user("ada"))
        let action: JSONValue = ["type": "cards/deal", "payload": ["card": "ace"]]
        let answer = store.dispatch(action, options) { { _ in } }
        #expect(answer?.stateJSON.map { String(decoding: $0, as: UTF8.self) } == #"["ace"]"#)
        func read(_ reader: Actor, _ pointer: JSONPointer = .root) -> String {
            String(decoding: store.read(.personal("hand", at: pointer, for: reader)).json, as: UTF8.self)
        }
        #expect(read(.user("ada")) == #"["ace"]"#)
        #expect(read(.user("ada"), JSONPointer(tokens: ["0"])) == #""ace""#)
        #expect(read(.user("bob")) == "[]")
        #expect(read(.anonymous) == "[]")
        // Without a reader it is the value for an anonymous one.
        #expect(String(decoding: store.read(.named("hand")).json, as: UTF8.self) == "[]")
        let snapshot = store.snapshot().state
        let past = try game.kind.select(.personal("hand", at: .root, for: .user("ada")), of: snapshot)
        #expect(String(decoding: past, as: UTF8.self) == #"["ace"]"#)
    }

    @Test func aPartHasThemToo() throws {
        struct House: Sendable { var game = Game() }
        let house = StoreDefinition("house", "A house.", House()) {
            Part("game", \.game) {
                Member("turns", \.turns)
                Selector("hand", "The cards of the reader.") { game, reader in game.hands[reader.id] ?? [] }
                Selector("turn", "The turn.") { $0.turns }
            }
        }
        let state = House(game: Self.state)
        #expect(house.selected("hand", of: state, for: .user("bob")) == ["king", "ten"])
        #expect(house.selected("turn", of: state, for: .user("bob")) == 0)
        #expect(house.kind.problems.isEmpty)
        #expect(house.kind.selectors.map(\.dependsOnActor) == [true, false])
    }

    @Test func theListOfStoresSaysWhichOnesDependOnTheReader() throws {
        let listed = try JSONValue(parsing: game.kind.encoded())
        #expect(
            listed["selectors"] == [
                ["name": "hand", "summary": "The cards of the reader.", "dependsOn": "actor"],
                ["name": "codable", "summary": "The cards of the reader.", "dependsOn": "actor"],
                ["name": "players", "summary": "How many have cards."],
            ])
    }

    @Test func onlyASelectionOfAReaderIsLarger() {
        #expect(MemoryLayout<Selection>.size <= 25)
    }
}

extension StoreKind {
    fileprivate func encoded() -> [UInt8] {
        var json = JSONWriter()
        encode(into: &json)
        return json.finish()
    }
}
