import Locks
import Stores
import StoresTesting
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

        func reduce(
            _ state: Tally, _ action: Relay, show: @Sendable (Tally) -> Void
        ) async throws(Rejection) -> Tally? {
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

    /// Runs an operation of its own for each action, and then adds the number.
    private struct Working: AsyncReducer {
        let work: @Sendable (Int) async -> Void

        func reduce(
            _ state: Tally, _ action: Int, show: @Sendable (Tally) -> Void
        ) async throws(Rejection) -> Tally? {
            await work(action)
            return Tally(values: state.values + [action])
        }
    }

    private func working(
        _ clock: TestClock, _ work: @escaping @Sendable (Int) async -> Void
    ) -> AsyncStore<Tally, Int> {
        AsyncStore(
            Tally(), reducer: Working(work: work),
            environment: StoreEnvironment(clock: clock, report: { [faults] in faults.record($0) }))
    }

    private static let stalled = StoreFault.reducerStalled(seconds: 30)

    /// Nobody sees that a reducer waits for a detached task. So the clock ends the wait.
    @Test(.timeLimit(.minutes(5)))
    func aDispatchThatADetachedTaskAwaitsReturnsAfterTheStallTime() async {
        let (clock, place) = (TestClock(), Locked<AsyncStore<Tally, Int>?>(nil))
        let receipts = receipts
        let store = working(clock) { number in
            guard number == 1, let store = place.withLock({ $0 }) else { return }
            receipts.record(await Task.detached { await store.dispatch(10) }.value)
        }
        place.withLock { $0 = store }
        defer { place.withLock { $0 = nil } }
        async let receipt = store.dispatch(1)
        while clock.sleepers.isEmpty { await Task.yield() }
        clock.advance(by: AsyncStore<Tally, Int>.stallTime)
        #expect(await receipt.outcome == .committed)
        #expect(receipts.values.map(\.outcome) == [.queued])
        #expect(receipts.values.map(\.fault) == [Self.stalled])
        #expect(faults.values == [Self.stalled])
        #expect(await store.dispatch(2).outcome == .committed)
        #expect(store.state.values == [1, 10, 2])
    }

    @Test(.timeLimit(.minutes(5)))
    func aReducerIsWatchedFromItsOwnBeginning() async {
        let (clock, gates, entered) = (TestClock(), Gates(), Gates())
        let store = working(clock) { number in
            entered[number].open()
            await gates[number].wait()
        }
        async let first = store.dispatch(1)
        await entered[1].wait()
        async let second = store.dispatch(2)
        while clock.sleepers.isEmpty { await Task.yield() }
        async let third = store.dispatch(3)
        gates[1].open()
        #expect(await first.outcome == .committed)
        await entered[2].wait()
        clock.advance(by: AsyncStore<Tally, Int>.stallTime)
        // The watch over the first reducer has ended. That over the second begins only if the third dispatch waits by now.
        while clock.sleepers.isEmpty { await Task.yield() }
        #expect(faults.values == [])
        clock.advance(by: AsyncStore<Tally, Int>.stallTime)
        #expect(await third.outcome == .queued)
        #expect(faults.values == [Self.stalled])
        gates[2].open()
        gates[3].open()
        #expect(await second.outcome == .committed)
        while store.revision < 3 { await Task.yield() }
        #expect(store.state.values == [1, 2, 3])
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
