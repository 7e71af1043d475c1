import Stores
import StoresTesting
import Testing

@Suite struct DeadlineTests {
    private func bench(_ policy: EffectPolicy = .parallel) -> EffectBench {
        EffectBench(policy) { number, effect in effect.deadline(.milliseconds(100), else: .add(-number)) }
    }

    @Test func anEffectPastItsDeadlineIsCancelledAndTheOtherActionIsDispatched() {
        let bench = bench()
        let receipt = bench.start(1)
        bench.advance(by: 99)
        #expect(bench.store.state.values == [])
        bench.advance(by: 1)
        #expect(bench.store.state.values == [-1])
        #expect(receipt.isSettled)
        bench.open(1)
        #expect(bench.store.state.values == [-1])
    }

    @Test func anEffectThatEndsInTimeIsUnaffected() {
        let bench = bench()
        bench.start(1)
        bench.open(1)
        #expect(bench.scheduler.clock.sleepers == [])
        bench.advance(by: 100)
        #expect(bench.store.state.values == [1])
    }

    @Test func theOperationIsCancelledAtItsDeadline() {
        let (scheduler, cancelled) = (TestScheduler(), Recorder<Int>())
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction { [clock = scheduler.clock] commit in
                    guard case .start(let number) = commit.action else { return .none }
                    return .run("work") {
                        try? await clock.sleep(until: 1000)
                        if Task.isCancelled { cancelled.record(clock.now()) }
                        return .add(number)
                    }.deadline(.milliseconds(100), else: .add(-number))
                }
            ], environment: scheduler.environment())
        store.dispatch(.start(1))
        scheduler.advance(by: 100)
        #expect(cancelled.values == [100])
        #expect(store.state.values == [-1])
    }

    @Test func theTimeBeginsWhenTheEffectDoesAfterItsDelay() {
        let bench = EffectBench(.parallel) { number, effect in
            effect.delayed(by: .milliseconds(50)).deadline(.milliseconds(100), else: .add(-number))
        }
        bench.start(1)
        bench.advance(by: 50)
        bench.advance(by: 99)
        #expect(bench.store.state.values == [])
        bench.advance(by: 1)
        #expect(bench.store.state.values == [-1])
    }

    @Test func theTimeBeginsWhenTheEffectDoesAfterItsQueue() {
        let bench = bench(.queued(limit: 9))
        bench.start(1)
        bench.start(2)
        bench.advance(by: 60)
        bench.open(1)
        bench.advance(by: 60)
        #expect(bench.store.state.values == [1])
        bench.advance(by: 40)
        #expect(bench.store.state.values == [1, -2])
    }

    @Test func aQueueContinuesAfterADeadline() {
        let bench = bench(.queued(limit: 9))
        let receipts = [bench.start(1), bench.start(2)]
        bench.advance(by: 100)
        #expect(bench.started.values == [1, 2])
        bench.open(2)
        #expect(bench.store.state.values == [-1, 2])
        #expect(receipts.allSatisfy { $0.isSettled })
    }

    @Test func aCancelledEffectHasNoDeadline() {
        let bench = bench()
        bench.start(1)
        bench.store.dispatch(.stop)
        bench.advance(by: 100)
        #expect(bench.store.state.values == [])
    }

    @Test func nothingIsEmittedAfterTheDeadline() {
        let (scheduler, gate) = (TestScheduler(), Gate())
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction { commit in
                    guard case .start = commit.action else { return .none }
                    return .run(
                        "work",
                        emitting: { emitter in
                            emitter.emit(.add(1))
                            await gate.wait()
                            emitter.emit(.add(2))
                            return .add(3)
                        }
                    ).deadline(.milliseconds(10), else: .add(-1))
                }
            ], environment: scheduler.environment())
        store.dispatch(.start(1))
        scheduler.advance(by: 10)
        gate.open()
        scheduler.run()
        #expect(store.state.values == [1, -1])
    }
}
