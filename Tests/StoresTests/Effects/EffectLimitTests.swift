import Stores
import Testing

@Suite struct EffectLimitTests {
    private static let tooMany = Outcome.rejected(.tooManyEffects, index: 0)

    @Test func anActionThatWouldStartOneEffectTooManyIsRejectedAndLeavesNoTrace() {
        let bench = EffectBench(.parallel, effectLimit: 3)
        for number in 1...3 { bench.start(number) }
        let receipt = bench.start(4)
        #expect(receipt.outcome == Self.tooMany)
        #expect(receipt.revision == 3)
        #expect(receipt.effects == [])
        #expect(bench.started.values == [1, 2, 3])
        bench.open(2)
        #expect(bench.start(5).outcome == .committed)
        #expect(bench.started.values == [1, 2, 3, 5])
    }

    @Test func actionsThatStartNothingPassAtTheLimit() {
        let bench = EffectBench(.parallel, effectLimit: 2)
        bench.start(1)
        bench.start(2)
        #expect(bench.store.dispatch(.add(7)).outcome == .committed)
        #expect(bench.store.dispatch(.stop).outcome == .committed)
        #expect(bench.start(3).outcome == .committed)
    }

    @Test func whatTakesAnOthersPlaceFitsAtTheLimit() {
        let bench = EffectBench(.latest, effectLimit: 1)
        bench.start(1)
        #expect(bench.start(2).outcome == .committed)
        bench.open(2)
        #expect(bench.store.state.values == [2])
    }

    @Test func ofABatchThatWouldStartTooManyNothingHappens() {
        let bench = EffectBench(.parallel, effectLimit: 3)
        bench.start(1)
        let receipt = bench.store.dispatch(batch: [.add(1), .start(2), .start(3), .start(4)])
        #expect(receipt.outcome == .rejected(.tooManyEffects, index: 3))
        #expect(bench.store.revision == 1)
        bench.scheduler.run()
        #expect(bench.started.values == [1])
        #expect(bench.store.dispatch(batch: [.add(1), .start(2), .start(3)]).outcome == .committed)
    }

    @Test func aBatchMayCancelWhatItWouldBeTooManyWith() {
        let bench = EffectBench(.parallel, effectLimit: 2)
        bench.start(1)
        bench.start(2)
        let receipt = bench.store.dispatch(batch: [.stop, .start(3), .start(4)])
        #expect(receipt.outcome == .committed)
        bench.scheduler.run()
        #expect(bench.started.values == [1, 2, 3, 4])
    }

    @Test func aBatchOnAnEmptyStoreIsCountedToo() {
        let bench = EffectBench(.parallel, effectLimit: 2)
        let receipt = bench.store.dispatch(batch: [.start(1), .start(2), .start(3)])
        #expect(receipt.outcome == .rejected(.tooManyEffects, index: 2))
    }

    /// Their ids may be texts of users, and each throttle stays for its interval.
    @Test func theIdsOfThrottledEffectsAreLimited() {
        let scheduler = TestScheduler()
        let middleware = MiddlewareFunction<Tally, TallyAction> { commit in
            guard case .start(let number) = commit.action else { return .none }
            return .run(EffectID("work", for: String(number)), .throttled(every: .seconds(3600), latest: false)) { nil }
        }
        let store = Store(
            Tally(), reducer: TallyReducer(), middleware: [middleware],
            environment: scheduler.environment(effectLimit: 2))
        func start(_ number: Int) -> Outcome {
            let receipt = store.dispatch(.start(number))
            scheduler.run()
            return receipt.outcome
        }
        for number in 1...32 { #expect(start(number) == .committed) }
        let last = start(33)
        #expect(last == Self.tooMany)
        // A known id is dropped as before.
        #expect(start(1) == .committed)
        scheduler.advance(by: 3_600_000)
        #expect(start(34) == .committed)
    }

    @Test func whatWaitsInAQueueCountsAsWell() {
        let bench = EffectBench(.queued(limit: 9), effectLimit: 3)
        for number in 1...3 { bench.start(number) }
        #expect(bench.start(4).outcome == Self.tooMany)
    }

    @Test(arguments: [0, 1, 3]) func aQueueTakesAsManyAsItsLimitBehindTheOneThatRuns(_ limit: Int) {
        let bench = EffectBench(.queued(limit: limit))
        for number in 0...limit { #expect(bench.start(number).outcome == .committed) }
        #expect(bench.start(100).outcome == Self.tooMany)
        bench.open(0)
        #expect(bench.start(101).outcome == .committed)
        #expect(bench.start(102).outcome == Self.tooMany)
    }

    @Test func aQueueThatABatchWouldOverfillRejectsTheBatch() {
        let bench = EffectBench(.queued(limit: 2))
        bench.start(1)
        let receipt = bench.store.dispatch(batch: [.start(2), .start(3), .start(4)])
        #expect(receipt.outcome == .rejected(.tooManyEffects, index: 2))
        #expect(bench.store.dispatch(batch: [.start(2), .start(3)]).outcome == .committed)
    }

    @Test func aBatchOnAnEmptyQueueIsCountedToo() {
        let bench = EffectBench(.queued(limit: 1))
        let receipt = bench.store.dispatch(batch: [.start(1), .start(2), .start(3)])
        #expect(receipt.outcome == .rejected(.tooManyEffects, index: 2))
        #expect(bench.store.revision == 0)
        #expect(bench.store.dispatch(batch: [.start(1), .start(2)]).outcome == .committed)
    }

    @Test func whatALeadingEffectDropsIsNotOneTooMany() {
        let bench = EffectBench(.leading, effectLimit: 1)
        bench.start(1)
        #expect(bench.start(2).outcome == .committed)
    }

    @Test func anEffectsLastActionMayStartAnotherAtTheLimit() {
        let scheduler = TestScheduler()
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [MiddlewareFunction.working { number, _ in number < 5 ? .start(number + 1) : .add(number) }],
            environment: scheduler.environment(effectLimit: 1))
        store.dispatch(.start(1))
        scheduler.run()
        #expect(store.state.values == [5])
    }

    @Test func timersDoNotCount() {
        let scheduler = TestScheduler()
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                Timers("timers") { _ in [StateTimer("due", at: 10, .add(10))] },
                MiddlewareFunction.working { _, _ in
                    await Gate().wait()
                    return nil
                },
            ], environment: scheduler.environment(effectLimit: 1))
        store.dispatch(.add(1))
        #expect(store.dispatch(.start(1)).outcome == .committed)
        store.end()
    }

    private func asyncStore(_ policy: EffectPolicy) -> AsyncStore<Tally, TallyAction> {
        AsyncStore(
            Tally(), reducer: Asynchronous(TallyReducer()),
            middleware: [
                MiddlewareFunction { commit in
                    guard case .start = commit.action else { return .none }
                    return .run("work", policy) {
                        await Gate().wait()
                        return nil
                    }
                }
            ], environment: StoreEnvironment(effectLimit: 3))
    }

    @Test func anAsyncStoreRejectsWhatWouldStartOneTooMany() async {
        let store = asyncStore(.parallel)
        for number in 1...3 { #expect(await store.dispatch(.start(number)).outcome == .committed) }
        let receipt = await store.dispatch(.start(4))
        #expect(receipt.outcome == Self.tooMany)
        #expect(store.revision == 3)
        store.end()
    }

    @Test func anAsyncStoreRejectsWhatWouldOverfillAQueue() async {
        let store = asyncStore(.queued(limit: 1))
        for number in 1...2 { #expect(await store.dispatch(.start(number)).outcome == .committed) }
        #expect(await store.dispatch(.start(3)).outcome == Self.tooMany)
        store.end()
    }
}
