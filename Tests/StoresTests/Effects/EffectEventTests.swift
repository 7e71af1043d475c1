import Stores
import StoresTesting
import Testing

/// The events of effects, and their order among the commits.
@Suite struct EffectEventTests {
    @Test func anEffectStartsAfterItsCommitAndEndsBeforeTheCommitOfItsLastAction() {
        let recorder = EffectRecorder()
        recorder.send(.start(1))
        recorder.open(1)
        #expect(recorder.received.values == ["commit 1", "started 1", "succeeded 1", "commit 2"])
    }

    @Test func anEffectWithoutReportHasSucceeded() {
        let recorder = EffectRecorder(.parallel) { _ in nil }
        recorder.send(.start(1), .add(1))
        #expect(recorder.received.values == ["commit 1", "started 1", "succeeded 1", "commit 2"])
    }

    @Test func cancellationsAreReportedAfterTheirCommit() {
        let recorder = EffectRecorder()
        recorder.send(.start(1), .start(2), .stop)
        recorder.open(1)
        #expect(
            recorder.received.values == [
                "commit 1", "started 1", "commit 2", "started 2", "commit 3", "cancelled 1", "cancelled 2",
            ])
    }

    @Test func whatANewerOneReplacesIsCancelledBeforeTheNewerOneStarts() {
        let recorder = EffectRecorder(.latest)
        recorder.send(.start(1), .start(2))
        recorder.open(2)
        #expect(
            recorder.received.values == [
                "commit 1", "started 1", "commit 2", "cancelled 1", "started 2", "succeeded 2", "commit 3",
            ])
    }

    @Test func eventsOfABatchAreReportedAtItsEnd() {
        let recorder = EffectRecorder(.latest)
        recorder.store.dispatch(batch: [.start(1), .add(1), .start(2), .stop, .start(3)])
        #expect(
            recorder.received.values == [
                "commit 1", "commit 2", "commit 3", "commit 4", "commit 5", "started 1", "cancelled 1", "started 3",
                "cancelled 3", "started 5",
            ])
    }

    @Test func aQueuedEffectStartsInTurnOrIsNeverReported() {
        let recorder = EffectRecorder(.queued(limit: 5))
        recorder.send(.start(1), .start(2), .start(3))
        recorder.open(1)
        recorder.send(.stop)
        #expect(
            recorder.received.values == [
                "commit 1", "started 1", "commit 2", "commit 3", "succeeded 1", "started 2", "commit 4", "commit 5",
                "cancelled 2",
            ])
    }

    @Test func droppedEffectsAreNotReported() {
        let recorder = EffectRecorder(.leading)
        recorder.send(.start(1), .start(2))
        #expect(recorder.received.values == ["commit 1", "started 1", "commit 2"])
    }

    @Test func theDurationIncludesDelaysAndIsSetAtTheEnd() {
        let recorder = EffectRecorder(changing: { $1.delayed(by: .milliseconds(30)) })
        recorder.send(.start(1))
        recorder.advance(by: 30)
        recorder.advance(by: 12)
        recorder.open(1)
        #expect(recorder.events.values.map(\.phase) == [.started, .succeeded])
        #expect(recorder.events.values.map(\.duration) == [nil, 42])
        #expect(recorder.events.values.allSatisfy { $0.effect == "work" && $0.code == nil && $0.attempt == nil })
    }

    @Test func anEffectThatMissesItsDeadlineHasFailed() {
        let recorder = EffectRecorder(changing: { $1.deadline(.milliseconds(10), else: .add(-$0)) })
        recorder.send(.start(1))
        recorder.advance(by: 10)
        recorder.open(1)
        #expect(recorder.received.values == ["commit 1", "started 1", "failed 1 timeout", "commit 2"])
        #expect(recorder.events.values.last?.duration == 10)
    }

    @Test func theEndOfTheStoreCancelsWhatRuns() {
        let recorder = EffectRecorder()
        recorder.send(.start(1), .start(2))
        recorder.store.end()
        recorder.open(1)
        #expect(recorder.received.values.suffix(2) == ["cancelled 1", "cancelled 2"])
        #expect(recorder.received.values.count == 6)
    }

    @Test func aTimerIsNoEffect() {
        let (scheduler, received) = (TestScheduler(), Recorder<String>())
        let timers = Timers<Tally, TallyAction>("timers") { state in
            state.values == [1] ? [StateTimer("ring", at: 5, .add(2))] : []
        }
        let store = Store(
            Tally(), reducer: TallyReducer(), middleware: [timers],
            environment: scheduler.environment { received.record($0.line) })
        store.dispatch(.add(1))
        scheduler.advance(by: 5)
        #expect(store.state.values == [1, 2])
        #expect(received.values == [])
    }

    /// Whatever is sent, in whichever order operations end: one end for each start, and behind it.
    @Test(arguments: [EffectPolicy.parallel, .latest, .leading, .queued(limit: 9), .debounced(for: .milliseconds(3))])
    func eachStartedEffectEndsOnce(_ policy: EffectPolicy) {
        for seed in 0..<40 {
            var random = SeededGenerator(seed: UInt64(seed))
            let recorder = EffectRecorder(policy, changing: { $1.deadline(.milliseconds(50), else: .add(-$0)) })
            for number in 1...20 {
                switch Int.random(in: 0..<5, using: &random) {
                case 0: recorder.send(.stop)
                case 1: recorder.store.dispatch(batch: [.start(number), .start(number + 100), .stop, .start(number)])
                case 2: recorder.advance(by: Int.random(in: 0..<20, using: &random))
                default: recorder.send(.start(number))
                }
                if Bool.random(using: &random) { recorder.open(Int.random(in: 1...number, using: &random)) }
            }
            recorder.store.end()
            expectEachToEndOnce(recorder.events.values)
        }
    }

    private func expectEachToEndOnce(_ events: [EffectEvent]) {
        var running: [Int: Int] = [:]
        for event in events {
            running[event.cause, default: 0] += event.phase == .started ? 1 : -1
            #expect(running[event.cause] ?? -1 >= 0)
        }
        #expect(!events.isEmpty)
        #expect(running.values.allSatisfy { $0 == 0 })
    }
}
