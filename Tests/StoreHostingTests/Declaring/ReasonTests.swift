import JSON
import StoreHosting
import Stores
import Testing

private struct Till: Sendable, Equatable {
    var cents = 0
    var isOpen = false
    var inner = Drawer()
}

private struct Drawer: Sendable, Equatable {
    var coins = 0

    mutating func take(_ count: Int) throws(Rejection) -> Bool {
        if count > coins { throw "too-few" }
        coins -= count
        return count > 0
    }
}

private let take = Action<Drawer, Int>.method(
    "take", "Takes coins.", .integer("count", 0...9), reasons: ["too-few", "locked", "too-few"]
) { drawer, count throws(Rejection) in try drawer.take(count) }

private let pay = Action<Till, Int>(
    "pay", "Pays.", .integer("cents", 1...100),
    rules: .reject("closed") { till, _ in !till.isOpen }, .ignore { _, cents in cents == 1 },
    .reject("too-much") { till, cents in till.cents + cents > 150 }, .reject("closed") { till, _ in till.cents < 0 }
) { till, cents in till.cents += cents }

private func definition() -> StoreDefinition<Till> {
    StoreDefinition("till", "A till.", Till()) {
        Member("cents", \.cents)
        Member("isOpen", \.isOpen)
        pay
        Action("open", "Opens.") { till in till.isOpen = true }
        Action(
            "close", "Closes.", audience: .internal,
            rules: .reject(Rejection("broken", isFault: true)) { $0.cents < 0 }, .reject("closed") { !$0.isOpen }
        ) { till in till.isOpen = false }
        Part("drawer", \.inner) {
            Member("coins", \.coins)
            take
            Action("add", "Adds a coin.", rules: .reject("full") { $0.coins == 9 }) { drawer in drawer.coins += 1 }
        }
        Invariant("negative") { till in till.cents >= 0 }
    }
}

@Suite struct ReasonTests {
    private static func reasons(_ kind: StoreKind) -> [String: [String]] {
        Dictionary(uniqueKeysWithValues: kind.actions.map { ($0.type, $0.reasons) })
    }

    @Test func theReasonsOfAnActionAreThoseOfItsRulesAndOfItsMethod() {
        #expect(
            Self.reasons(definition().kind) == [
                "till/pay": ["closed", "too-much"], "till/open": [], "till/close": ["closed"],
                "drawer/take": ["too-few", "locked"], "drawer/add": ["full"],
            ])
    }

    @Test func theReasonsStandInTheListOfStores() throws {
        var json = JSONWriter()
        definition().kind.encode(into: &json)
        let actions = try JSONValue(parsing: json.finish())["actions"]?.asArray ?? []
        #expect(
            actions.map { $0["reasons"] } == [
                ["closed", "too-much"], nil, ["closed"], ["too-few", "locked"], ["full"],
            ])
        #expect(actions[0].asObject?.names == ["type", "summary", "audience", "reasons", "payload", "example"])
    }
}
