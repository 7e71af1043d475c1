import Locks
import Stores
import StoresTesting
import Testing

/// A store whose commits become durable when the test says so.
@Suite struct CommitObserverTests {
    private let scheduler = TestScheduler()
    private let script = ScriptedObserver.Script()
    private let started = Recorder<Int>()
    private let events = Recorder<String>()

    /// `start(n)` runs an effect that adds `n`, `stop` cancels it, `add(0)` dispatches `skip`; resuming starts effect 100.
    private struct Work: Middleware {
        let policy: EffectPolicy
        let started: Recorder<Int>

        func respond(to commit: borrowing Commit<Tally, TallyAction>) -> Effect<TallyAction> {
            switch commit.action {
            case .start(let number): effect(number)
            case .stop: .cancel("work")
            case .add(0): .merge(.dispatch(.add(1)), .dispatch(.skip))
            case .add, .refuse, .skip: .none
            }
        }

        func resume(_ state: Tally) -> Effect<TallyAction> { effect(100) }

        private func effect(_ number: Int) -> Effect<TallyAction> {
            .run("work", policy) { [started] in
                started.record(number)
                return .add(number)
            }
        }
    }

    private func store(_ policy: EffectPolicy = .parallel) -> Store<Tally, TallyAction> {
        Store(
            Tally(), TallyReducer().prepared, MiddlewareStack([], [Work(policy: policy, started: started)]),
            environment, observer: ScriptedObserver(script))
    }

    private var environment: StoreEnvironment {
        scheduler.environment(effects: { [events] in events.record($0.line) })
    }

    @Test func anEffectStartsOnceItsCommitIsDurable() {
        let store = store()
        let receipt = store.dispatch(.start(1))
        scheduler.run()
        #expect(started.values == [] && !receipt.isSettled)
        script.makeDurable(through: 1)
        scheduler.run()
        #expect(started.values == [1] && receipt.isSettled)
        #expect(store.state.values == [1])
        #expect(events.values == ["started 1", "succeeded 1"])
    }

    @Test func anEffectWhoseCommitIsDurableStartsAtOnce() {
        script.makeDurable(through: 1)
        let store = store()
        store.dispatch(.start(1))
        scheduler.run()
        #expect(started.values == [1] && store.state.values == [1])
    }

    @Test(arguments: [EffectPolicy.parallel, .leading, .queued(limit: 5), .debounced(for: .milliseconds(10))])
    func noEffectStartsAfterAFailedCommit(_ policy: EffectPolicy) {
        let store = store(policy)
        let receipts = [store.dispatch(.start(1)), store.dispatch(.start(2))]
        script.fail()
        let third = store.dispatch(.start(3))
        scheduler.advance(by: 100)
        #expect(started.values == [])
        for receipt in receipts + [third] { #expect(receipt.isSettled) }
        let isIdle = store.core.contents.withLock { $0.pointee.pending == nil }
        #expect(isIdle)
        #expect(store.revision == 3 && store.state.values == [])
        #expect(events.values.filter { $0.hasPrefix("started") }.count == events.values.count / 2)
        #expect(events.values.filter { $0.hasPrefix("cancelled") }.count == events.values.count / 2)
    }

    @Test func anEffectThatIsCancelledWhileItWaitsNeverStarts() {
        let store = store()
        let receipt = store.dispatch(.start(1))
        store.dispatch(.stop)
        #expect(receipt.isSettled)
        script.makeDurable(through: 2)
        scheduler.run()
        #expect(started.values == [])
        #expect(events.values == ["started 1", "cancelled 1"])
    }

    @Test func aNewerEffectReplacesOneThatWaits() {
        let store = store(.latest)
        store.dispatch(.start(1))
        store.dispatch(.start(2))
        script.makeDurable(through: 2)
        scheduler.run()
        #expect(started.values == [2])
    }

    @Test func anEffectWaitsForNoLaterCommit() {
        let store = store()
        store.dispatch(.start(1))
        store.dispatch(.start(2))
        script.makeDurable(through: 1)
        scheduler.run()
        #expect(started.values == [1])
    }

    @Test func anEndedStoreStartsNothing() {
        let store = store()
        store.dispatch(.start(1))
        store.end()
        script.makeDurable(through: 1)
        scheduler.run()
        #expect(started.values == [])
    }

    @Test func effectsOfResumingWaitForEarlierCommits() {
        let store = store()
        store.dispatch(.add(5))
        store.resume()
        scheduler.run()
        #expect(started.values == [])
        script.makeDurable(through: 1)
        scheduler.run()
        #expect(started.values == [100])
    }

    @Test(arguments: [true, false]) func anAsynchronousStoreWaitsToo(_ fails: Bool) async {
        struct Reducer: AsyncReducer {
            func reduce(
                _ state: Tally, _ action: TallyAction, show: @Sendable (Tally) -> Void
            ) async throws(Rejection) -> Tally? { state }
        }
        let store = AsyncStore(
            Tally(), Reducer(), MiddlewareStack([], [Work(policy: .parallel, started: started)]),
            StoreEnvironment(), observer: ScriptedObserver(script))
        let receipt = await store.dispatch(.start(1))
        #expect(!receipt.isSettled && started.values == [])
        if fails { script.fail() } else { script.makeDurable(through: 1) }
        await receipt.settled()
        #expect(started.values == (fails ? [] : [1]))
        #expect(script.calls.values.prefix(2) == ["commit 1", "end 1"])
    }

    @Test func eachDispatchEndsOnce() {
        let store = store()
        store.dispatch(.add(0))
        store.dispatch(.refuse)
        store.dispatch(batch: [.add(2), .add(3)])
        #expect(
            script.calls.values == [
                "commit 1", "end 1", "commit 2", "end 2", "end 2", "end 2", "commit 3", "commit 4", "end 4",
            ])
    }
}
