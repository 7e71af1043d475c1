import Stores
import StoresTesting
import Testing

@Suite struct EffectPolicyTests {
    @Test func parallelRunsEach() {
        let bench = EffectBench(.parallel)
        for number in 1...3 { #expect(bench.start(number).effects == ["work"]) }
        #expect(bench.started.values == [1, 2, 3])
        for number in [3, 1, 2] { bench.open(number) }
        #expect(bench.store.state.values == [3, 1, 2])
    }

    @Test func latestCancelsTheOlder() {
        let bench = EffectBench(.latest)
        let first = bench.start(1)
        let second = bench.start(2)
        #expect(first.isSettled)
        #expect(!second.isSettled)
        bench.open(1)
        #expect(bench.store.state.values == [])
        bench.open(2)
        #expect(bench.store.state.values == [2])
        #expect(second.isSettled)
    }

    @Test func leadingDropsTheNewerUntilTheOldestHasEnded() {
        let bench = EffectBench(.leading)
        bench.start(1)
        let dropped = bench.start(2)
        #expect(dropped.outcome == .committed)
        #expect(dropped.effects == [])
        #expect(dropped.isSettled)
        bench.open(1)
        #expect(bench.start(3).effects == ["work"])
        bench.open(3)
        #expect(bench.started.values == [1, 3])
        #expect(bench.store.state.values == [1, 3])
    }

    @Test func queuedRunsOneAfterAnotherInTheOrderOfAsking() {
        let bench = EffectBench(.queued(limit: 5))
        for number in 1...3 { #expect(bench.start(number).effects == ["work"]) }
        #expect(bench.started.values == [1])
        for number in [3, 2] { bench.gates[number].open() }
        bench.scheduler.run()
        #expect(bench.started.values == [1])
        bench.open(1)
        #expect(bench.started.values == [1, 2, 3])
        #expect(bench.store.state.values == [1, 2, 3])
    }

    @Test func aQueueContinuesAfterAnEffectWithoutAction() {
        let (scheduler, begun) = (TestScheduler(), Recorder<Int>())
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction { commit in
                    guard case .start(let number) = commit.action else { return .none }
                    return .run("work", .queued(limit: 9)) {
                        begun.record(number)
                        return nil
                    }
                }
            ], environment: scheduler.environment())
        let receipts = (1...3).map { store.dispatch(.start($0)) }
        scheduler.run()
        #expect(begun.values == [1, 2, 3])
        #expect(receipts.allSatisfy { $0.isSettled })
    }

    @Test func debouncedRunsTheNewestOnceThereWasNoOther() {
        let bench = EffectBench(.debounced(for: .milliseconds(100)))
        let first = bench.start(1)
        bench.advance(by: 99)
        let second = bench.start(2)
        #expect(first.isSettled)
        bench.advance(by: 99)
        #expect(bench.started.values == [])
        bench.advance(by: 1)
        #expect(bench.started.values == [2])
        bench.open(2)
        #expect(bench.store.state.values == [2])
        #expect(second.isSettled)
    }

    @Test func debouncedCancelsOneThatHasBegun() {
        let bench = EffectBench(.debounced(for: .milliseconds(100)))
        bench.start(1)
        bench.advance(by: 100)
        #expect(bench.started.values == [1])
        bench.start(2)
        bench.open(1)
        bench.advance(by: 100)
        bench.open(2)
        #expect(bench.store.state.values == [2])
    }

    @Test func throttledDropsWhatComesWithinItsTimeOfTheFirstOnRequest() {
        let bench = EffectBench(.throttled(every: .milliseconds(100), latest: false))
        bench.start(1)
        bench.open(1)
        bench.advance(by: 99)
        let dropped = bench.start(2)
        #expect(dropped.effects == [])
        #expect(dropped.isSettled)
        bench.advance(by: 1)
        #expect(bench.start(3).effects == ["work"])
        bench.advance(by: 99)
        #expect(bench.start(4).effects == [])
        #expect(bench.started.values == [1, 3])
    }

    @Test func throttledRunsTheFirstAtOnceAndTheLastAtTheEndOfItsTime() {
        let bench = EffectBench(.throttled(every: .milliseconds(100)))
        bench.start(1)
        bench.advance(by: 40)
        let replaced = bench.start(2)
        #expect(replaced.effects == ["work"])
        let last = bench.start(3)
        #expect(replaced.isSettled)
        bench.advance(by: 59)
        #expect(bench.started.values == [1])
        #expect(!last.isSettled)
        bench.advance(by: 1)
        #expect(bench.started.values == [1, 3])
        bench.open(1)
        bench.open(3)
        #expect(bench.store.state.values == [1, 3])
    }

    @Test func theLastOfAThrottledTimeBeginsAnother() {
        let bench = EffectBench(.throttled(every: .milliseconds(100)))
        bench.start(1)
        bench.advance(by: 10)
        bench.start(2)
        bench.advance(by: 100)
        bench.start(3)
        #expect(bench.started.values == [1, 2])
        bench.advance(by: 89)
        #expect(bench.started.values == [1, 2])
        bench.advance(by: 1)
        #expect(bench.started.values == [1, 2, 3])
        bench.advance(by: 100)
        bench.start(4)
        #expect(bench.started.values == [1, 2, 3, 4])
        for number in 1...4 { bench.open(number) }
    }

    @Test func aThrottledEffectThatWasCancelledBeginsNoTime() {
        let bench = EffectBench(.throttled(every: .milliseconds(100)))
        bench.start(1)
        bench.start(2)
        bench.store.dispatch(.stop)
        bench.advance(by: 100)
        bench.start(3)
        #expect(bench.started.values == [1, 3])
        bench.open(3)
    }

    @Test func aStoreIsIdleWhenTheThrottledTimeIsOver() {
        let bench = EffectBench(.throttled(every: .milliseconds(100)))
        bench.start(1)
        bench.open(1)
        #expect(!bench.store.core.endIfIdle())
        bench.advance(by: 100)
        #expect(bench.store.core.endIfIdle())
    }

    // An autosave must not lose the last edit, whenever the edits come.
    @Test(arguments: 1...20) func throttledNeverLosesTheLast(_ seed: UInt64) {
        var random = seed
        func next(below limit: UInt64) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((random >> 33) % limit)
        }
        let bench = EffectBench(.throttled(every: .milliseconds(100)))
        var times: [Int] = []
        for number in 1...30 {
            bench.gates[number].open()
            bench.start(number)
            while times.count < bench.started.values.count { times.append(bench.scheduler.clock.now()) }
            for _ in 0..<next(below: 80) {
                bench.advance(by: 1)
                while times.count < bench.started.values.count { times.append(bench.scheduler.clock.now()) }
            }
        }
        bench.advance(by: 100)
        #expect(bench.store.state.values.last == 30)
        #expect(bench.started.values.count > 3)
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect((gaps.min() ?? 0) >= 100)
    }

    @Test func policiesApplyToEachIDSeparately() {
        let scheduler = TestScheduler()
        let started = Recorder<Int>()
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction { commit in
                    guard case .start(let number) = commit.action else { return .none }
                    return .run(EffectID("work.\(number % 2)"), .leading) {
                        started.record(number)
                        await Gate().wait()
                        return nil
                    }
                }
            ], environment: scheduler.environment())
        for number in 1...4 { store.dispatch(.start(number)) }
        scheduler.run()
        #expect(started.values == [1, 2])
        store.end()
    }

    @Test func aDelayedEffectBeginsThatMuchLater() {
        let bench = EffectBench(.parallel) { $1.delayed(by: .milliseconds(30)).delayed(by: .milliseconds(20)) }
        let receipt = bench.start(1)
        #expect(receipt.effects == ["work"])
        bench.advance(by: 49)
        #expect(bench.started.values == [])
        #expect(!receipt.isSettled)
        bench.advance(by: 1)
        #expect(bench.started.values == [1])
    }

    @Test func aDelayCountsFromTheCommitHoweverLateTheTaskComesToIt() {
        let bench = EffectBench(.parallel) { $1.delayed(by: .milliseconds(50)) }
        bench.store.dispatch(.start(1))
        bench.scheduler.clock.advance(by: .milliseconds(50))
        bench.scheduler.run()
        #expect(bench.started.values == [1])
    }

    private enum Trouble: Error { case broken(Int) }

    @Test(arguments: [1, 2]) func aTypedErrorBecomesAnAction(_ number: Int) async {
        let store = Store.tally(
            MiddlewareFunction { commit in
                guard case .start(let number) = commit.action else { return .none }
                return .run("work") { () async throws(Trouble) -> TallyAction? in
                    guard number == 1 else { throw .broken(number) }
                    return .add(number)
                } failure: {
                    switch $0 {
                    case .broken(let number): .add(-number)
                    }
                }
            })
        await store.dispatch(.start(number)).settled()
        #expect(store.state.values == [number == 1 ? 1 : -2])
    }

    @Test func mergedEffectsAreStartedInOrderAndAllNamedInTheReceipt() {
        let (scheduler, log) = (TestScheduler(), Recorder<Int>())
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction { commit in
                    guard commit.action == .start(1) else { return .none }
                    return .merge(
                        .run("one") {
                            log.record(1)
                            return nil
                        }, .dispatch(.add(1)),
                        .run("two") {
                            log.record(2)
                            return nil
                        })
                }
            ], environment: scheduler.environment())
        let receipt = store.dispatch(.start(1))
        #expect(receipt.effects == ["one", "two"])
        #expect(store.state.values == [1])
        scheduler.run()
        #expect(log.values == [1, 2])
    }
}
