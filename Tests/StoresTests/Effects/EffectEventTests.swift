import Stores
import StoresTesting
import Testing

/// The events of effects, and their order among the commits.
@Suite struct EffectEventTests {
    @Test func anEffectStartsAfterItsCommitAndEndsBeforeTheCommitOfItsLastAction() {
        let witness = EffectWitness()
        witness.send(.start(1))
        witness.open(1)
        #expect(witness.received.values == ["commit 1", "started 1", "succeeded 1", "commit 2"])
    }

    @Test func anEffectWithoutReportHasSucceeded() {
        let witness = EffectWitness(.parallel) { _ in nil }
        witness.send(.start(1), .add(1))
        #expect(witness.received.values == ["commit 1", "started 1", "succeeded 1", "commit 2"])
    }

    @Test func cancellationsAreReportedAfterTheirCommit() {
        let witness = EffectWitness()
        witness.send(.start(1), .start(2), .stop)
        witness.open(1)
        #expect(
            witness.received.values == [
                "commit 1", "started 1", "commit 2", "started 2", "commit 3", "cancelled 1", "cancelled 2",
            ])
    }

    @Test func whatANewerOneReplacesIsCancelledBeforeTheNewerOneStarts() {
        let witness = EffectWitness(.latest)
        witness.send(.start(1), .start(2))
        witness.open(2)
        #expect(
            witness.received.values == [
                "commit 1", "started 1", "commit 2", "cancelled 1", "started 2", "succeeded 2", "commit 3",
            ])
    }

    @Test func eventsOfABatchAreReportedAtItsEnd() {
        let witness = EffectWitness(.latest)
        witness.store.dispatch(batch: [.start(1), .add(1), .start(2), .stop, .start(3)])
        #expect(
            witness.received.values == [
                "commit 1", "commit 2", "commit 3", "commit 4", "commit 5", "started 1", "cancelled 1", "started 3",
                "cancelled 3", "started 5",
            ])
    }

    @Test func aQueuedEffectStartsInTurnOrIsNeverReported() {
        let witness = EffectWitness(.queued(limit: 5))
        witness.send(.start(1), .start(2), .start(3))
        witness.open(1)
        witness.send(.stop)
        #expect(
            witness.received.values == [
                "commit 1", "started 1", "commit 2", "commit 3", "succeeded 1", "started 2", "commit 4", "commit 5",
                "cancelled 2",
            ])
    }

    @Test func droppedEffectsAreNotReported() {
        let witness = EffectWitness(.leading)
        witness.send(.start(1), .start(2))
        #expect(witness.received.values == ["commit 1", "started 1", "commit 2"])
    }

    @Test func theDurationIncludesDelaysAndIsSetAtTheEnd() {
        let witness = EffectWitness(changing: { $1.delayed(by: .milliseconds(30)) })
        witness.send(.start(1))
        witness.advance(by: 30)
        witness.advance(by: 12)
        witness.open(1)
        #expect(witness.events.values.map(\.phase) == [.started, .succeeded])
        #expect(witness.events.values.map(\.duration) == [nil, 42])
        #expect(witness.events.values.allSatisfy { $0.effect == "work" && $0.code == nil && $0.attempt == nil })
    }

    @Test func anEffectThatMissesItsDeadlineHasFailed() {
        let witness = EffectWitness(changing: { $1.deadline(.milliseconds(10), else: .add(-$0)) })
        witness.send(.start(1))
        witness.advance(by: 10)
        witness.open(1)
        #expect(witness.received.values == ["commit 1", "started 1", "failed 1 timeout", "commit 2"])
        #expect(witness.events.values.last?.duration == 10)
    }

    @Test func theEndOfTheStoreCancelsWhatRuns() {
        let witness = EffectWitness()
        witness.send(.start(1), .start(2))
        witness.store.end()
        witness.open(1)
        #expect(witness.received.values.suffix(2) == ["cancelled 1", "cancelled 2"])
        #expect(witness.received.values.count == 6)
    }

    @Test func aTimerIsNoEffect() {
        let (world, received) = (StillWorld(), Recorder<String>())
        let timers = Timers<Tally, TallyAction>("timers") { state in
            state.values == [1] ? [StateTimer("ring", at: 5, .add(2))] : []
        }
        let store = Store(
            Tally(), reducer: TallyReducer(), middleware: [timers],
            environment: world.environment { received.record($0.line) })
        store.dispatch(.add(1))
        world.advance(by: 5)
        #expect(store.state.values == [1, 2])
        #expect(received.values == [])
    }

    /// Whatever is sent, in whichever order operations end: one end for each start, and behind it.
    @Test(arguments: [EffectPolicy.parallel, .latest, .leading, .queued(limit: 9), .debounced(for: .milliseconds(3))])
    func eachStartedEffectEndsOnce(_ policy: EffectPolicy) {
        for seed in 0..<40 {
            var random = SeededGenerator(seed: UInt64(seed))
            let witness = EffectWitness(policy, changing: { $1.deadline(.milliseconds(50), else: .add(-$0)) })
            for number in 1...20 {
                switch Int.random(in: 0..<5, using: &random) {
                case 0: witness.send(.stop)
                case 1: witness.store.dispatch(batch: [.start(number), .start(number + 100), .stop, .start(number)])
                case 2: witness.advance(by: Int.random(in: 0..<20, using: &random))
                default: witness.send(.start(number))
                }
                if Bool.random(using: &random) { witness.open(Int.random(in: 1...number, using: &random)) }
            }
            witness.store.end()
            expectEachToEndOnce(witness.events.values)
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
