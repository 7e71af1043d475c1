import Storehouse
import StoresTesting
import Testing

@testable import shopping

/// Tests of the store alone. The test moves the clock, and answers for the shop.
@Suite struct ShoppingTests {
    private let shop = ScriptedRemoteClient()
    private let store: TestStore<ShoppingList, ShoppingAction>

    init() {
        let clock = TestClock()
        let list = shopping(clock: clock)
        store = TestStore(
            ShoppingList(), reducer: list.reducer, middleware: list.middleware(RemoteClients(["prices": shop])),
            clock: clock)
    }

    @Test func anItemGetsItsPrice() throws {
        try store.dispatch(add("green tea")) { $0.items.insert(Item(id: "green tea")) }
        #expect(shop.requests == [.get("/green%20tea")])
        shop.reply(#"{"cents":449}"#)
        try store.receive(price.arrival(of: 449, for: "green tea")) {
            $0.items.update("green tea") {
                $0.cents = 449
                $0.isAsking = false
            }
        }
        try store.dispatch(setCount("green tea", 2)) { $0.items.update("green tea") { $0.count = 2 } }
        #expect(store.state.total == 898)
        try store.expectIgnored(add("green tea"))
        try store.expectRejected(setCount("bread", 2), "not-on-the-list")
        try store.finish()
    }

    @Test func aPriceThatIsNotKnownIsAskedForAgain() throws {
        try store.dispatch(add("tea")) { $0.items.insert(Item(id: "tea")) }
        shop.reply(status: 404, "{}")
        try store.receive(price.failure(.declined(.init(status: 404, body: "{}")), for: "tea")) {
            $0.items.update("tea") {
                $0.error = "bad-status"
                $0.isAsking = false
            }
        }
        try store.dispatch(add("tea")) { $0.items = EntityTable([Item(id: "tea")]) }
        #expect(shop.requests.count == 2)
        store.end()
    }

    @Test func aFinishedListIsArchivedAnHourLater() throws {
        for item in ["tea", "milk"] {
            try store.dispatch(add(item)) { $0.items.insert(Item(id: item)) }
            shop.reply(#"{"cents":100}"#)
            try store.receive(price.arrival(of: 100, for: item)) {
                $0.items.update(item) {
                    $0.cents = 100
                    $0.isAsking = false
                }
            }
        }
        try store.advance(by: .seconds(60))
        try store.dispatch(buy("tea", 60_000)) { $0.items.update("tea") { $0.isBought = true } }
        try store.expectIgnored(buy("tea", 60_000))
        try store.dispatch(buy("milk", 60_000)) {
            $0.items.update("milk") { $0.isBought = true }
            $0.archiveAt = 3_660_000
        }
        try store.advance(by: .seconds(3600))
        try store.receive(archive()) {
            $0 = ShoppingList(archive: [FinishedList(items: ["tea", "milk"], total: 200)])
        }
        try store.finish()
    }

    @Test func aStateOfVersion1IsMigrated() throws {
        let list = try shopping().restored(from: ["items": ["tea", "milk"]])
        #expect(list.items == [Item(id: "tea", isAsking: false), Item(id: "milk", isAsking: false)])
        #expect(list.archive == [])
    }
}
