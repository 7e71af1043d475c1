import Stores
import StoresTesting
import Testing

@Suite struct AsyncStoreOrderTests {
    private let scheduler = TestScheduler()

    /// Waits for the gate of the number that is added.
    private struct Gated: AsyncReducer {
        let gates: Gates
        let reduced: Recorder<Int>

        func reduce(
            _ state: Tally, _ action: TallyAction, show: @Sendable (Tally) -> Void
        ) async throws(Rejection) -> Tally? {
            if case .add(let number) = action {
                await gates[number].wait()
                reduced.record(number)
            }
            return try await Asynchronous(TallyReducer()).reduce(state, action, show: show)
        }
    }

    private func store(
        _ middleware: any Middleware<Tally, TallyAction>...
    ) -> AsyncStore<Tally, TallyAction> {
        AsyncStore(
            Tally(), reducer: Asynchronous(TallyReducer()), middleware: middleware, environment: scheduler.environment()
        )
    }

    @Test func anActionIsReducedAfterTheCommitOfTheOneBefore() {
        let (gates, reduced) = (Gates(), Recorder<Int>())
        let store = AsyncStore(
            Tally(), reducer: Gated(gates: gates, reduced: reduced), environment: scheduler.environment())
        for number in 1...3 { store.send(.add(number)) }
        for number in [3, 2] {
            gates[number].open()
            scheduler.run()
        }
        #expect(reduced.values == [])
        #expect(store.revision == 0)
        gates[1].open()
        scheduler.run()
        #expect(store.state.values == [1, 2, 3])
    }

    @Test func whatIsSentFromInsideStandsBehindWhatWaits() {
        let (received, store) = (
            Recorder<[Int]>(),
            store(
                MiddlewareFunction { commit in commit.action == .add(1) ? .dispatch(.add(10)) : .none })
        )
        let sender = store.subscribe { [weak store] commit in
            if commit.action == .add(1) { store?.send(.add(20)) }
        }
        let watcher = store.subscribe { received.record([$0.revision] + $0.state.values) }
        for number in 1...2 { store.send(.add(number)) }
        scheduler.run()
        #expect(received.values == [[1, 1], [2, 1, 2], [3, 1, 2, 20], [4, 1, 2, 20, 10]])
        withExtendedLifetime((sender, watcher)) {}
    }

    @Test func interceptionsHoldHereToo() async {
        struct Guard: Interceptor {
            typealias State = Tally
            typealias Action = TallyAction

            func intercept(_ action: TallyAction, in state: Tally) -> Interception<TallyAction> {
                switch action {
                case .add(1): .replace(.add(state.values.count + 100))
                case .add(2): .stop
                case .add(3): .reject("no-three")
                default: .pass
                }
            }

            func respond(to commit: borrowing Commit<Tally, TallyAction>) -> Effect<TallyAction> { .none }
        }
        let store = AsyncStore(Tally(), reducer: Asynchronous(TallyReducer()), middleware: [Guard()])
        #expect(await store.dispatch(.add(1)).outcome == .committed)
        #expect(await store.dispatch(.add(2)).outcome == .ignored)
        #expect(await store.dispatch(.add(3)).outcome == .rejected("no-three", index: 0))
        #expect(store.state.values == [100])
    }

    /// The emitted actions are still queued when the effect is over already.
    @Test func whatAnEffectEmittedBeforeItEndedIsNotLost() {
        let store = store(
            MiddlewareFunction.working { number, emitter in
                for offset in 0..<5 { emitter.emit(.add(number + offset)) }
                return nil
            })
        store.send(.start(1))
        scheduler.run()
        #expect(store.state.values == [1, 2, 3, 4, 5])
    }

    @Test func settledWaitsForWhatAnEffectEmitted() {
        let gate = Gate()
        let store = store(
            MiddlewareFunction { commit in
                switch commit.action {
                case .start(1):
                    .run(
                        "first",
                        emitting: { emitter in
                            await gate.wait()
                            emitter.emit(.start(2))
                            return nil
                        })
                case .start(2): .run("second") { .add(2) }
                default: .none
                }
            })
        let settled = Recorder<[Int]>()
        Task(executorPreference: scheduler.executor) {
            await store.dispatch(.start(1)).effectGroup?.whenSettled { settled.record(store.state.values) }
        }
        scheduler.run()
        #expect(settled.values == [])
        gate.open()
        scheduler.run()
        #expect(settled.values == [[2]])
    }

    @Test func actionsEmittedBeforeACancellationAreNotReducedAfterIt() {
        let store = store(
            MiddlewareFunction.working { number, emitter in
                emitter.emit(.stop)
                emitter.emit(.add(number))
                await Gate().wait()
                return nil
            })
        store.send(.start(1))
        scheduler.run()
        #expect(store.state.values == [])
        #expect(store.revision == 2)
    }

    @Test func anEffectThatEmitsEndlesslyCannotFillTheQueue() {
        let limit = AsyncStore<Tally, TallyAction>.queueLimit
        let store = store(
            MiddlewareFunction.working { number, emitter in
                for offset in 0..<3 * limit { emitter.emit(.add(offset)) }
                return .add(-1)
            })
        store.send(.start(1))
        scheduler.run()
        #expect(store.state.values == Array(0..<limit) + [-1])
    }

    @Test func nothingIsCommittedOnceTheStoreHasEnded() async {
        let (gates, reduced) = (Gates(), Recorder<Int>())
        let store = AsyncStore(
            Tally(), reducer: Gated(gates: gates, reduced: reduced), environment: scheduler.environment())
        let first = Task { await store.dispatch(.add(1)) }
        await scheduler.executor.waitForJob()
        scheduler.run()
        store.end()
        gates[1].open()
        scheduler.run()
        #expect(await first.value.outcome == .ended)
        #expect(reduced.values == [1])
        #expect(store.state.values == [])
        #expect(store.revision == 0)
    }

    @Test func endingTheStoreEndsItsEffects() async {
        let store = AsyncStore(
            Tally(), reducer: Asynchronous(TallyReducer()),
            middleware: [
                MiddlewareFunction.working { number, _ in
                    await Gate().wait()
                    return .add(number)
                }
            ])
        let receipt = await store.dispatch(.start(1))
        store.end()
        await receipt.settled()
        #expect(await store.dispatch(.add(1)).outcome == .ended)
    }

    @Test func aForgottenStoreTakesItsEffectsWithIt() {
        weak var gone: AsyncStore<Tally, TallyAction>?
        do {
            let store = store(
                MiddlewareFunction { commit in
                    guard case .start = commit.action else { return .none }
                    return Effect.run("work") { .add(1) }.delayed(by: .milliseconds(10))
                }, Timers("timers") { _ in [StateTimer("due", at: 20, .add(1))] })
            gone = store
            store.send(.start(1))
            scheduler.run()
        }
        scheduler.run()
        #expect(gone == nil)
        #expect(scheduler.clock.sleepers == [])
    }

    @Test func cancelledEffectsThatWaitAreSettled() {
        let store = store(
            MiddlewareFunction { commit in
                switch commit.action {
                case .start:
                    .run("work", .queued(limit: 9)) {
                        await Gate().wait()
                        return nil
                    }
                case .stop: .cancel("work")
                default: .none
                }
            })
        let receipts = Recorder<Receipt>()
        for number in 1...3 {
            Task(executorPreference: scheduler.executor) { receipts.record(await store.dispatch(.start(number))) }
        }
        scheduler.run()
        #expect(receipts.values.map { $0.isSettled } == [false, false, false])
        store.send(.stop)
        scheduler.run()
        #expect(receipts.values.map { $0.isSettled } == [true, true, true])
        store.end()
    }
}
