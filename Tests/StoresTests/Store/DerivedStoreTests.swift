import Stores
import Testing

@Suite struct DerivedStoreTests {
    private typealias Sums = DerivedStore<Int, Int>

    private func sums(of store: some StoreProtocol<Tally, TallyAction>) -> Sums {
        store.derived(state: { $0.values.reduce(0, +) }, action: { .add($0) })
    }

    @Test func isCurrentWhenDispatchReturns() {
        let store = Store.tally()
        let sum = sums(of: store)
        for value in 1...10 {
            store.dispatch(.add(value))
            #expect(sum.state == value * (value + 1) / 2)
        }
        sum.send(5)
        #expect(store.state.values.last == 5)
        #expect(sum.state == 60)
    }

    @Test func notifiesOfNoValueTwice() {
        let store = Store.tally()
        let sum = sums(of: store)
        let received = Recorder<Int>()
        let subscription = sum.observe(received.record)
        for value in [0, 4, 0, 0, 1, -5, 0] { store.dispatch(.add(value)) }
        #expect(received.values == [0, 4, 5, 0])
        subscription.cancel()
        store.dispatch(.add(9))
        #expect(received.values.count == 4)
    }

    @Test func canBeDerivedFromAgain() {
        let store = Store.tally()
        let sum = sums(of: store)
        let isEven: DerivedStore<Bool, Bool> = sum.derived(
            state: { $0.isMultiple(of: 2) }, action: { $0 ? 2 : 1 })
        let received = Recorder<Bool>()
        let subscription = isEven.observe(received.record)
        for _ in 1...3 { isEven.send(false) }
        isEven.send(true)
        #expect(store.state.values == [1, 1, 1, 2])
        #expect(!isEven.state)
        #expect(received.values == [true, false, true, false])
        withExtendedLifetime(subscription) {}
    }

    @Test func actionsOfAnObserverAreQueued() {
        let store = Store.tally()
        let sum = sums(of: store)
        let received = Recorder<Int>()
        let subscription = sum.observe { [weak sum] value in
            received.record(value)
            if value < 3 { sum?.send(1) }
        }
        #expect(received.values == [0, 1, 2, 3])
        #expect(store.state.values == [1, 1, 1])
        withExtendedLifetime(subscription) {}
    }

    @Test func isCurrentBehindAnAsyncStoreToo() async {
        let store = AsyncStore(Tally(), reducer: Asynchronous(TallyReducer()))
        let sum = sums(of: store)
        sum.send(2)
        await store.dispatch(.add(3))
        #expect(sum.state == 5)
    }
}
