import Stores
import StoresTesting
import Testing

@Suite struct EffectCancellationTests {
    @Test func aCancelledRunSendsNothing() {
        let bench = EffectBench(.parallel)
        let receipts = [bench.start(1), bench.start(2)]
        #expect(bench.store.dispatch(.stop).outcome == .committed)
        #expect(receipts.allSatisfy { $0.isSettled })
        bench.open(1)
        bench.open(2)
        #expect(bench.store.state.values == [])
    }

    @Test func whatIsCancelledBeforeItsTaskStartedDoesNotBegin() {
        let bench = EffectBench(.parallel)
        let receipt = bench.store.dispatch(.start(1))
        bench.store.dispatch(.stop)
        #expect(receipt.isSettled)
        bench.open(1)
        #expect(bench.started.values == [])
        #expect(bench.store.revision == 2)
    }

    @Test func whatIsCancelledInTheSameBatchDoesNotBegin() {
        let bench = EffectBench(.parallel)
        let receipt = bench.store.dispatch(batch: [.start(1), .stop])
        #expect(receipt.isSettled)
        bench.open(1)
        #expect(bench.started.values == [])
    }

    @Test func whatIsCancelledWhileItIsDelayedDoesNotBegin() {
        let bench = EffectBench(.latest) { $1.delayed(by: .milliseconds(10)) }
        let receipt = bench.start(1)
        bench.store.dispatch(.stop)
        bench.advance(by: 10)
        #expect(receipt.isSettled)
        #expect(bench.started.values == [])
        #expect(bench.scheduler.clock.sleepers == [])
    }

    @Test func cancellingReachesThoseThatWaitInTheQueue() {
        let bench = EffectBench(.queued(limit: 5))
        let receipts = (1...3).map { bench.start($0) }
        bench.store.dispatch(.stop)
        #expect(receipts.allSatisfy { $0.isSettled })
        for number in 1...3 { bench.open(number) }
        #expect(bench.started.values == [1])
        bench.start(4)
        bench.open(4)
        #expect(bench.store.state.values == [4])
    }

    @Test func cancellingWhatDoesNotRunDoesNothing() {
        let bench = EffectBench(.latest)
        #expect(bench.store.dispatch(.stop).isSettled)
        bench.start(1)
        bench.open(1)
        bench.store.dispatch(.stop)
        #expect(bench.store.state.values == [1])
    }

    /// An effect that ignores its cancellation and dispatches more actions.
    @Test func actionsOfACancelledRunAreNeverReduced() {
        let (scheduler, gate, emitted) = (TestScheduler(), Gate(), Recorder<Int>())
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction.working { number, emitter in
                    emitter.emit(.add(number))
                    await gate.wait()
                    emitter.emit(.add(number + 10))
                    emitted.record(number)
                    return .add(number + 20)
                }
            ], environment: scheduler.environment())
        for number in 1...3 {
            store.dispatch(.start(number))
            scheduler.run()
        }
        store.dispatch(.stop)
        gate.open()
        scheduler.run()
        #expect(emitted.values == [1, 2, 3])
        #expect(store.state.values == [1, 2, 3])
    }

    @Test func anEmitterThatOutlivesItsEffectSendsNothing() {
        let (scheduler, emitters) = (TestScheduler(), Recorder<Emitter<TallyAction>>())
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction.working { _, emitter in
                    emitters.record(emitter)
                    return .add(1)
                }
            ], environment: scheduler.environment())
        store.dispatch(.start(1))
        scheduler.run()
        for emitter in emitters.values { emitter.emit(.add(2)) }
        #expect(emitters.values.count == 1)
        #expect(store.state.values == [1])
    }

    @Test func anEffectThatCancelsItselfWithItsActionIsOver() {
        let (scheduler, gate) = (TestScheduler(), Gate())
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction.working { _, emitter in
                    emitter.emit(.stop)
                    await gate.wait()
                    return .add(1)
                }
            ], environment: scheduler.environment())
        let receipt = store.dispatch(.start(1))
        scheduler.run()
        #expect(receipt.isSettled)
        gate.open()
        scheduler.run()
        #expect(store.state.values == [])
        #expect(store.revision == 2)
    }

    /// An operation may cancel the task that it runs in; the store does not wait for it for ever.
    @Test func anEffectThatCancelsItsOwnTaskEndsLikeAnyOther() {
        let scheduler = TestScheduler()
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction.working { number, _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return number == 1 ? .add(1) : nil
                }
            ], environment: scheduler.environment())
        let receipts = [store.dispatch(.start(1)), store.dispatch(.start(2))]
        scheduler.run()
        #expect(receipts.allSatisfy { $0.isSettled })
        let last = store.dispatch(.start(1))
        scheduler.run()
        #expect(last.isSettled)
        #expect(store.state.values == [1])
    }
}
