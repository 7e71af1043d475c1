import Locks
import Stores
import StoresTesting
import Testing

@Suite struct LifetimeTests {
    private final class Token: Sendable {}

    /// The phase of an effect when its store ends.
    enum Phase: CaseIterable, CustomTestStringConvertible {
        case notStarted, running, delayed, queued, withDeadline, debounced

        var testDescription: String { "\(self)" }

        var policy: EffectPolicy {
            switch self {
            case .queued: .queued(limit: 5)
            case .debounced: .debounced(for: .milliseconds(10))
            case .notStarted, .running, .delayed, .withDeadline: .parallel
            }
        }

        @Sendable
        func change(_ number: Int, _ effect: Effect<TallyAction>) -> Effect<TallyAction> {
            switch self {
            case .delayed: effect.delayed(by: .milliseconds(10))
            case .withDeadline: effect.deadline(.milliseconds(10), else: .add(-number))
            case .notStarted, .running, .queued, .debounced: effect
            }
        }
    }

    private func bench(_ phase: Phase) -> (bench: EffectBench, receipts: [Receipt]) {
        let bench = EffectBench(phase.policy, phase.change)
        let receipts = [bench.store.dispatch(.start(1)), bench.store.dispatch(.start(2))]
        if phase != .notStarted { bench.scheduler.run() }
        return (bench, receipts)
    }

    @Test(arguments: Phase.allCases) func endingAStoreEndsItsEffects(_ phase: Phase) {
        let (bench, receipts) = bench(phase)
        bench.store.end()
        #expect(receipts.allSatisfy { $0.isSettled })
        for number in 1...2 { bench.open(number) }
        bench.advance(by: 100)
        #expect(bench.scheduler.clock.sleepers == [])
        #expect(bench.store.revision == 2)
        #expect(bench.store.state.values == [])
        #expect(bench.store.dispatch(.add(1)).outcome == .ended)
        #expect(bench.store.dispatch(batch: [.add(1)]).outcome == .ended)
    }

    /// Forgets a store, and returns a check that it and its effects are gone.
    private func forget(_ phase: Phase) -> (scheduler: TestScheduler, receipts: [Receipt], isGone: () -> Bool) {
        let (scheduler, token, gate) = (TestScheduler(), Token(), Gate())
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction { [token] commit in
                    guard case .start(let number) = commit.action else { return .none }
                    return phase.change(
                        number,
                        .run("work", phase.policy) {
                            await gate.wait()
                            withExtendedLifetime(token) {}
                            return .add(number)
                        })
                }
            ], environment: scheduler.environment())
        let subscription = store.subscribe { [token] _ in withExtendedLifetime(token) {} }
        let receipts = [store.dispatch(.start(1)), store.dispatch(.start(2))]
        if phase != .notStarted { scheduler.run() }
        subscription.cancel()
        gate.open()
        return (scheduler, receipts, { [weak store, weak token] in store == nil && token == nil })
    }

    @Test(arguments: Phase.allCases) func aForgottenStoreTakesItsEffectsWithItAndLeaksNothing(_ phase: Phase) {
        let (scheduler, receipts, isGone) = forget(phase)
        #expect(receipts.allSatisfy { $0.isSettled })
        scheduler.run()
        #expect(isGone())
        #expect(scheduler.clock.sleepers == [])
    }

    /// Cancels a store from the inside of its own notification.
    @Test func aSubscriberMayEndTheStoreAndNothingIsStartedAfterwards() {
        let (scheduler, begun) = (TestScheduler(), Recorder<Int>())
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction.working { number, _ in
                    begun.record(number)
                    return .add(number)
                },
                Timers("timers") { _ in [StateTimer("due", at: 10, .add(10))] },
                MiddlewareFunction { $0.action == .start(1) ? .dispatch(.add(5)) : .none },
            ], environment: scheduler.environment())
        let subscription = store.subscribe { [weak store] _ in store?.end() }
        let receipt = store.dispatch(.start(1))
        scheduler.advance(by: 100)
        #expect(receipt.outcome == .committed)
        #expect(receipt.effects == [])
        #expect(receipt.isSettled)
        #expect(begun.values == [])
        #expect(scheduler.clock.sleepers == [])
        #expect(store.revision == 1)
        withExtendedLifetime(subscription) {}
    }

    @Test func anEndedStoreResumesNothing() {
        struct Resumer: Middleware {
            let begun: Recorder<Int>
            func respond(to commit: borrowing Commit<Tally, TallyAction>) -> Effect<TallyAction> { .none }
            func resume(_ state: Tally) -> Effect<TallyAction> {
                .merge(
                    .dispatch(.add(1)),
                    .run("work") { [begun] in
                        begun.record(1)
                        return nil
                    })
            }
        }
        let (scheduler, begun) = (TestScheduler(), Recorder<Int>())
        let store = Store(
            Tally(), reducer: TallyReducer(), middleware: [Resumer(begun: begun)], environment: scheduler.environment())
        store.end()
        store.resume()
        scheduler.run()
        #expect(begun.values == [])
        #expect(store.revision == 0)
    }

    @Test func aStoreMayBeEndedTwiceAndReadAfterwards() {
        let store = Store.tally()
        store.dispatch(.add(1))
        store.end()
        store.end()
        #expect(store.state.values == [1])
        #expect(store.revision == 1)
        #expect(store.read { $0.values.count } == 1)
    }

    @Test func aSubscriptionEndsWhenItIsForgotten() {
        let (store, received) = (Store.tally(), Recorder<Int>())
        do {
            let subscription = store.subscribe { received.record($0.revision) }
            store.dispatch(.add(1))
            withExtendedLifetime(subscription) {}
        }
        store.dispatch(.add(2))
        #expect(received.values == [1])
    }

    @Test func aSubscriptionRetainsNeitherItsStoreNorItsSubscriber() {
        weak var token: Token?
        weak var gone: Store<Tally, TallyAction>?
        var subscription: Subscription?
        do {
            let (store, kept) = (Store.tally(), Token())
            (token, gone) = (kept, store)
            subscription = store.subscribe { _ in withExtendedLifetime(kept) {} }
        }
        #expect(gone == nil)
        #expect(token == nil)
        subscription?.cancel()
    }

    @Test func aFinishedEffectIsForgotten() {
        let scheduler = TestScheduler()
        weak var token: Token?
        let store: Store<Tally, TallyAction>
        do {
            let kept = Token()
            token = kept
            let pending = Locked<Token?>(kept)
            store = Store(
                Tally(), reducer: TallyReducer(),
                middleware: [
                    MiddlewareFunction { commit in
                        guard case .start = commit.action, let token = pending.withLock({ $0.take() }) else {
                            return .none
                        }
                        return Effect.run("work") {
                            withExtendedLifetime(token) {}
                            return .add(1)
                        }.deadline(.seconds(100), else: .skip)
                    }
                ], environment: scheduler.environment())
        }
        store.dispatch(.start(1))
        #expect(token != nil)
        scheduler.run()
        #expect(token == nil)
        #expect(store.state.values == [1])
    }
}
