import Locks
import Stores
import StoresTesting
import Testing

/// Actions that a limit refuses, and whose receipt nobody gets.
@Suite struct ActionLossTests {
    private let scheduler = TestScheduler()
    private let gates = Gates()

    /// `start(n)` runs an effect that waits for the gate of its number and returns `add(n)`. At most one effect runs.
    private func store(
        _ policy: EffectPolicy = .parallel, _ others: any Middleware<Tally, TallyAction>..., effectLimit: Int = 1
    ) -> Store<Tally, TallyAction> {
        Store(
            Tally(), reducer: TallyReducer(), middleware: [working(policy)] + others,
            environment: scheduler.environment(effectLimit: effectLimit))
    }

    private func working(_ policy: EffectPolicy) -> MiddlewareFunction<Tally, TallyAction> {
        MiddlewareFunction { [gates] commit in
            guard case .start(let number) = commit.action else { return .none }
            return .run("work", policy) {
                await gates[number].wait()
                return .add(number)
            }
        }
    }

    private func lost(
        _ origin: Origin, _ type: String = "start", at bound: ActionLoss = .tooManyEffects
    ) -> StoreFault { .actionLost(bound, origin, type: type, label: "") }

    @Test func aSentActionAtTheLimitIsReported() {
        let store = store()
        store.dispatch(.start(1))
        store.send(.start(2))
        #expect(scheduler.faults.values == [lost(.client)])
        store.derived(state: { $0 }, action: { $0 }).send(.start(3))
        #expect(scheduler.faults.values == [lost(.client), lost(.client)])
        #expect(store.revision == 1)
    }

    @Test func anActionWhoseSenderHasTheReceiptIsNotReported() {
        let store = store()
        store.dispatch(.start(1))
        #expect(store.dispatch(.start(2)).outcome == .rejected(.tooManyEffects, index: 0))
        #expect(store.dispatch(batch: [.start(3), .start(4)]).fault == nil)
        #expect(scheduler.faults.values.isEmpty)
    }

    @Test func aRejectionByARuleIsNoLoss() {
        let store = store()
        store.send(.refuse)
        store.send(.skip)
        #expect(scheduler.faults.values.isEmpty)
    }

    @Test func aFullQueueOfOneEffectIsReportedToo() {
        let store = store(.queued(limit: 0), effectLimit: 64)
        store.dispatch(.start(1))
        store.send(.start(2))
        #expect(scheduler.faults.values == [lost(.client)])
    }

    @Test func aMiddlewaresActionAtTheLimitIsReportedAndPartOfTheReceipt() {
        let store = store(
            .parallel, MiddlewareFunction { $0.action == .add(1) ? .dispatch(.start(7)) : .none })
        store.dispatch(.start(1))
        let receipt = store.dispatch(.add(1))
        #expect(receipt.outcome == .committed)
        #expect(receipt.fault == lost(.middleware))
        #expect(scheduler.faults.values == [lost(.middleware)])
    }

    @Test func aSubscribersActionAtTheLimitIsReported() {
        let store = store()
        let subscription = store.subscribe { [weak store] commit in
            if commit.action == .add(1) { store?.dispatch(.start(7)) }
        }
        store.dispatch(.start(1))
        store.dispatch(.add(1))
        #expect(scheduler.faults.values == [lost(.client)])
        subscription.cancel()
    }

    @Test func emittedAndLastActionsOfEffectsAtTheLimitAreReported() {
        let store = store(
            .parallel,
            MiddlewareFunction { commit in
                guard commit.action == .add(1) else { return .none }
                return .run(
                    "emit",
                    emitting: { emitter in
                        emitter.emit(.start(8))
                        return .start(9)
                    })
            }, effectLimit: 2)
        store.dispatch(.start(1))
        store.dispatch(.add(1))
        store.dispatch(.stop)
        scheduler.run()
        // The last action takes the place of its own effect.
        #expect(scheduler.faults.values == [lost(.effect)])
        #expect(store.dispatch(.start(2)).outcome == .rejected(.tooManyEffects, index: 0))
    }

    @Test func theNameOfAnActionIsThatOfItsCaseWithoutItsValues() {
        let store = store(.parallel, MiddlewareFunction { $0.action == .skip ? .none : .none })
        store.dispatch(.start(1))
        store.send(.start(1234))
        #expect(scheduler.faults.values.map { "\($0)".contains("1234") } == [false])
    }

    @Test(.timeLimit(.minutes(5)))
    func aSendBeyondTheQueueOfAnAsyncStoreIsReported() async {
        let (gate, entered) = (Gate(), Gate())
        struct Waiting: AsyncReducer {
            let wait: @Sendable (TallyAction) async -> Void

            func reduce(
                _ state: Tally, _ action: TallyAction, show: @Sendable (Tally) -> Void
            ) async throws(Rejection) -> Tally? {
                await wait(action)
                return state
            }
        }
        let faults = scheduler.faults
        let store = AsyncStore(
            Tally(),
            reducer: Waiting { action in
                guard action == .start(0) else { return }
                entered.open()
                await gate.wait()
            }, environment: StoreEnvironment(report: { faults.record($0) }))
        store.send(.start(0))
        await entered.wait()
        for number in 1...AsyncStore<Tally, TallyAction>.queueLimit + 2 { store.send(.add(number)) }
        #expect(faults.values == [lost(.client, "add", at: .overloaded), lost(.client, "add", at: .overloaded)])
        #expect(await store.dispatch(.add(-1)).outcome == .overloaded)
        #expect(faults.values.count == 2)
        gate.open()
        while await store.dispatch(.add(-2)).outcome == .overloaded { await Task.yield() }
    }

    @Test func anAsyncStoreReportsTheLimitOfEffectsToo() {
        let store = AsyncStore(
            Tally(), reducer: Asynchronous(TallyReducer()),
            middleware: [
                working(.parallel), MiddlewareFunction { $0.action == .add(1) ? .dispatch(.start(7)) : .none },
            ], environment: scheduler.environment(effectLimit: 1))
        store.send(.start(1))
        store.send(.start(2))
        store.send(.add(1))
        scheduler.run()
        #expect(scheduler.faults.values == [lost(.client), lost(.middleware)])
        store.end()
        scheduler.run()
    }

    // MARK: Emitters

    /// Passes its emitter on and returns when its gate is open.
    private func emitting(_ emitter: Locked<Emitter<TallyAction>?>) -> Store<Tally, TallyAction> {
        let gate = gates["emit"]
        return Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction.working { _, own in
                    emitter.withLock { $0 = own }
                    await gate.wait()
                    return nil
                }
            ], environment: scheduler.environment())
    }

    @Test func anActionThatIsEmittedAfterTheEffectHasReturnedIsReported() {
        let emitter = Locked<Emitter<TallyAction>?>(nil)
        let store = emitting(emitter)
        store.dispatch(.start(1))
        scheduler.run()
        emitter.withLock { $0 }?.emit(.add(1))
        gates["emit"].open()
        scheduler.run()
        emitter.withLock { $0 }?.emit(.add(2))
        #expect(store.state.values == [1])
        #expect(scheduler.faults.values == [lost(.effect, "add", at: .lateEmission)])
    }

    @Test(arguments: [true, false]) func aCancelledEffectAndAnEndedStoreDropInSilence(_ endsStore: Bool) {
        let emitter = Locked<Emitter<TallyAction>?>(nil)
        let store = emitting(emitter)
        store.dispatch(.start(1))
        scheduler.run()
        if endsStore { store.end() } else { store.dispatch(.stop) }
        emitter.withLock { $0 }?.emit(.add(1))
        gates["emit"].open()
        scheduler.run()
        emitter.withLock { $0 }?.emit(.add(2))
        #expect(store.state.values == [])
        #expect(scheduler.faults.values.isEmpty)
    }
}
