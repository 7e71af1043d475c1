import Stores
import StoresTesting
import Testing

@Suite struct CascadeTests {
    private let scheduler = TestScheduler()

    /// Answers each `add` with the next one.
    private static let endless = MiddlewareFunction<Tally, TallyAction> { commit in
        switch commit.action {
        case .add(let number): .dispatch(.add(number + 1))
        case .start, .refuse, .skip, .stop: .none
        }
    }

    private func store(_ middleware: MiddlewareFunction<Tally, TallyAction>...) -> Store<Tally, TallyAction> {
        Store(
            Tally(), reducer: TallyReducer(), middleware: middleware,
            environment: scheduler.environment(cascadeLimit: 50))
    }

    @Test func anEndlessCascadeIsStoppedAndReported() {
        let store = store(Self.endless)
        let receipt = store.dispatch(.add(0))
        let fault = StoreFault.cascadeStopped(limit: 50, dropped: 1)
        #expect(receipt.outcome == .committed)
        #expect(receipt.revision == 1)
        #expect(receipt.fault == fault)
        #expect(scheduler.faults.values == [fault])
        #expect(store.state.values == Array(0...50))
    }

    @Test func aStoreIsUsableAfterItStoppedACascade() {
        let store = store(Self.endless)
        store.dispatch(.add(0))
        let receipt = store.dispatch(.stop)
        #expect(receipt.outcome == .committed)
        #expect(receipt.fault == nil)
        #expect(receipt.revision == 52)
        #expect(store.dispatch(.add(100)).fault != nil)
        #expect(store.state.values.suffix(51) == Array(100...150)[...])
    }

    @Test func settledDoesNotWaitForDroppedActions() {
        let store = store(Self.endless)
        #expect(store.dispatch(.add(0)).isSettled)
    }

    @Test func aCascadeThatWidensIsStoppedToo() {
        let store = store(
            MiddlewareFunction { commit in
                guard case .add(let depth) = commit.action else { return .none }
                return .merge(.dispatch(.add(depth + 1)), .dispatch(.add(depth + 1)))
            })
        let receipt = store.dispatch(.add(0))
        #expect(receipt.fault != nil)
        #expect(receipt.isSettled)
        #expect(scheduler.faults.values.count == 1)
        #expect(store.revision == 51)
    }

    @Test func asManyFollowersAsTheLimitAreNoFault() {
        let store = store(
            MiddlewareFunction { commit in
                if case .add(let number) = commit.action, number < 50 { return .dispatch(.add(number + 1)) }
                return .none
            })
        #expect(store.dispatch(.add(0)).fault == nil)
        #expect(store.dispatch(.add(-1)).fault != nil)
        #expect(scheduler.faults.values.count == 1)
    }

    @Test func aSubscriberThatAnswersItsOwnActionsIsStopped() {
        let store = store()
        let subscription = store.subscribe { [weak store] _ in store?.send(.add(1)) }
        #expect(store.dispatch(.add(0)).fault == .cascadeStopped(limit: 50, dropped: 1))
        #expect(store.revision == 51)
        withExtendedLifetime(subscription) {}
    }

    @Test func anEffectThatIsAskedForAgainEachTimeItEndsIsNoCascade() {
        let store = store(
            MiddlewareFunction.working { number, _ in number < 500 ? .start(number + 1) : nil })
        let receipt = store.dispatch(.start(0))
        scheduler.run()
        #expect(store.revision == 501)
        #expect(receipt.isSettled)
        #expect(scheduler.faults.values.isEmpty)
    }

    @Test func anEffectEndsEvenIfItsActionStartsACascade() {
        let store = store(MiddlewareFunction.working { _, _ in .add(0) }, Self.endless)
        let receipt = store.dispatch(.start(1))
        scheduler.run()
        #expect(scheduler.faults.values.count == 1)
        #expect(receipt.isSettled)
    }

    private func asyncStore(_ middleware: MiddlewareFunction<Tally, TallyAction>) -> AsyncStore<Tally, TallyAction> {
        AsyncStore(
            Tally(), reducer: Asynchronous(TallyReducer()), middleware: [middleware],
            environment: scheduler.environment(cascadeLimit: 50))
    }

    @Test func anAsyncStoreStopsACascadeByItsDepth() async {
        let store = asyncStore(Self.endless)
        store.send(.add(0))
        scheduler.run()
        #expect(store.state.values == Array(0...50))
        #expect(scheduler.faults.values == [.cascadeStopped(limit: 50, dropped: 1)])
        async let receipt = store.dispatch(.stop)
        await scheduler.executor.waitForJob()
        scheduler.run()
        #expect(await receipt.outcome == .committed)
    }

    @Test func anAsyncStoreSettlesAfterADroppedCascade() async {
        let store = asyncStore(Self.endless)
        async let pending = store.dispatch(.add(0))
        await scheduler.executor.waitForJob()
        scheduler.run()
        #expect(await pending.isSettled)
    }

    @Test func asManyFollowersAsTheLimitAreNoFaultOfAnAsyncStore() {
        let store = asyncStore(
            MiddlewareFunction { commit in
                if case .add(let number) = commit.action, number < 50 { return .dispatch(.add(number + 1)) }
                return .none
            })
        store.send(.add(0))
        scheduler.run()
        #expect(store.revision == 51)
        #expect(scheduler.faults.values.isEmpty)
    }

    /// Each action is followed by two: without a bound, the line doubles.
    @Test func anAsyncStoreStopsAWideningCascade() {
        let store = asyncStore(
            MiddlewareFunction { commit in
                guard case .add(let depth) = commit.action else { return .none }
                return .merge(.dispatch(.add(depth + 1)), .dispatch(.add(depth + 1)))
            })
        store.send(.add(0))
        #expect(scheduler.executor.run(limit: 10_000))
        #expect(scheduler.faults.values.count == 1)
        #expect(store.revision < 200)
    }
}
