import Stores
import Testing

@Suite struct ConnectorTests {
    private struct Shop: Sendable {
        @Tracked var cart: [String] = []
        @Tracked var prices: [String: Int] = ["tea": 3]
        var visits = 0
    }

    private enum ShopAction: Sendable {
        case buy(String)
        case raise
        case visit
    }

    private struct ShopReducer: Reducer {
        func decide(_ action: ShopAction, in state: Shop) -> Decision { .accept }

        func reduce(_ state: inout Shop, _ action: ShopAction) {
            switch action {
            case .buy(let name): state.cart.append(name)
            case .raise: state.prices["tea", default: 0] += 0
            case .visit: state.visits += 1
            }
        }
    }

    private struct Total: Connector {
        let asked: Recorder<Int>

        func viewState(of state: Shop) -> Int {
            asked.record(state.cart.count)
            return state.cart.reduce(0) { $0 + (state.prices[$1] ?? 0) }
        }

        func action(for viewAction: String) -> ShopAction { .buy(viewAction) }

        func stamps(of state: Shop) -> [ChangeToken] { [state.$cart, state.$prices] }
    }

    @Test func aStoreDerivedByTokenReadsOnlyAfterAChange() {
        let store = Store(Shop(), reducer: ShopReducer())
        let read = Recorder<Int>()
        let cart = store.derived(
            state: { shop -> [String] in
                read.record(shop.cart.count)
                return shop.cart
            }, stamp: { $0.$cart }, action: { (name: String) in .buy(name) })
        let received = Recorder<[String]>()
        let subscription = cart.observe(received.record)
        store.dispatch(.visit)
        cart.send("tea")
        store.dispatch(.visit)
        store.dispatch(.raise)
        #expect(received.values == [[], ["tea"]])
        #expect(read.values == [0, 1])
        #expect(cart.state == ["tea"])
        withExtendedLifetime(subscription) {}
    }

    @Test func aConnectorRunsOnlyWhenATokenChangedAndNotifiesOnlyOfChanges() {
        let store = Store(Shop(), reducer: ShopReducer())
        let asked = Recorder<Int>()
        let total = store.connected(by: Total(asked: asked))
        let received = Recorder<Int>()
        let subscription = total.observe(received.record)
        store.dispatch(.visit)
        #expect(asked.values == [0])
        // The prices are written and stay what they were.
        store.dispatch(.raise)
        #expect(asked.values == [0, 0])
        total.send("tea")
        total.send("water")
        #expect(asked.values == [0, 0, 1, 2])
        #expect(received.values == [0, 3])
        #expect(total.state == 3)
        #expect(store.state.cart == ["tea", "water"])
        withExtendedLifetime(subscription) {}
    }

    @Test func aConnectorWithoutTokensRunsAfterEachCommit() {
        struct Visits: Connector {
            func viewState(of state: Shop) -> Bool { state.visits > 1 }
            func action(for viewAction: Void) -> ShopAction { .visit }
        }
        let store = Store(Shop(), reducer: ShopReducer())
        let often = store.connected(by: Visits())
        let received = Recorder<Bool>()
        let subscription = often.observe(received.record)
        for _ in 1...3 { often.send(()) }
        #expect(received.values == [false, true])
        withExtendedLifetime(subscription) {}
    }
}
