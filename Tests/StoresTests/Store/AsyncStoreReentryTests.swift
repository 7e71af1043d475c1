import Locks
import Stores
import Testing

/// Asynchronous reducers that await a dispatch.
@Suite struct AsyncStoreReentryTests {
    private typealias Relays = AsyncStore<Tally, Relay>

    /// Adds a number. With hops, the reducer first awaits the dispatch of ten times the number, with one hop less.
    private struct Relay: Sendable {
        let number: Int
        var hops = 0
    }

    private struct RelayReducer: AsyncReducer {
        let next: Place
        let receipts: Recorder<Receipt>

        func reduce(_ state: Tally, _ action: Relay) async throws(Rejection) -> Tally? {
            if action.hops > 0, let store = next.store {
                receipts.record(await store.dispatch(Relay(number: action.number * 10, hops: action.hops - 1)))
            }
            return Tally(values: state.values + [action.number])
        }
    }

    /// The store that a reducer dispatches to.
    private final class Place: Sendable {
        private let contents = Locked<Relays?>(nil)

        var store: Relays? { contents.withLock { $0 } }
        func set(_ store: Relays?) { contents.withLock { $0 = store } }
    }

    private let receipts = Recorder<Receipt>()
    private let faults = Recorder<StoreFault>()

    private func store(sendingTo place: Place) -> Relays {
        AsyncStore(
            Tally(), reducer: RelayReducer(next: place, receipts: receipts),
            environment: StoreEnvironment(report: { [faults] in faults.record($0) }))
    }

    @Test(.timeLimit(.minutes(5)))
    func aDispatchThatAReducerAwaitsIsQueuedAndReported() async {
        let place = Place()
        let store = store(sendingTo: place)
        place.set(store)
        defer { place.set(nil) }
        #expect(await store.dispatch(Relay(number: 1, hops: 1)).outcome == .committed)
        #expect(receipts.values.map(\.outcome) == [.queued])
        #expect(receipts.values.map(\.fault) == [.awaitedInReducer])
        #expect(faults.values == [.awaitedInReducer])
        #expect(await store.dispatch(Relay(number: 2)).outcome == .committed)
        #expect(store.state.values == [1, 10, 2])
    }

    @Test(.timeLimit(.minutes(5)))
    func twoStoresWhoseReducersAwaitEachOtherGoOn() async {
        let (there, back) = (Place(), Place())
        let (first, second) = (store(sendingTo: there), store(sendingTo: back))
        there.set(second)
        back.set(first)
        defer {
            there.set(nil)
            back.set(nil)
        }
        #expect(await first.dispatch(Relay(number: 1, hops: 2)).outcome == .committed)
        #expect(faults.values == [.awaitedInReducer])
        #expect(second.state.values == [10])
        await first.dispatch(Relay(number: 2))
        #expect(first.state.values == [1, 100, 2])
    }

    @Test(.timeLimit(.minutes(5)))
    func aReducerMayAwaitAnotherStore() async {
        let place = Place()
        let inner = store(sendingTo: Place())
        place.set(inner)
        defer { place.set(nil) }
        #expect(await store(sendingTo: place).dispatch(Relay(number: 4, hops: 1)).outcome == .committed)
        #expect(inner.state.values == [40])
        #expect(receipts.values.map(\.outcome) == [.committed])
        #expect(faults.values == [])
    }

    @Test(.timeLimit(.minutes(5)))
    func anEffectMayAwaitItsStore() async {
        let place = Place()
        let store = AsyncStore(
            Tally(), reducer: RelayReducer(next: Place(), receipts: receipts),
            middleware: [
                MiddlewareFunction { commit in
                    guard commit.action.number == 5 else { return .none }
                    return .run("work") {
                        await place.store?.dispatch(Relay(number: 6))
                        return nil
                    }
                }
            ], environment: StoreEnvironment(report: { [faults] in faults.record($0) }))
        place.set(store)
        defer { place.set(nil) }
        await store.dispatch(Relay(number: 5)).settled()
        #expect(store.state.values == [5, 6])
        #expect(faults.values == [])
    }
}
