import Stores
import Testing

@Suite struct ObservableStoreTests {
    private struct Thermostat: Sendable, Equatable {
        var degrees = 20
        var isLocked = false
    }

    private func store() -> ObservableStore<Thermostat> {
        ObservableStore(Thermostat(), invariants: [Invariant("too-hot") { $0.degrees <= 30 }])
    }

    @Test func notifiesOfEachChange() {
        let store = store()
        let received = Recorder<Int>()
        let subscription = store.observe { received.record($0.degrees) }
        for _ in 1...3 {
            let outcome = store.update { $0.degrees += 1 }
            #expect(outcome == .committed)
        }
        #expect(received.values == [20, 21, 22, 23])
        withExtendedLifetime(subscription) {}
    }

    @Test func aMethodThatBreaksAnInvariantChangesNothing() {
        let store = store()
        let outcome = store.update { value in
            value.degrees = 31
            value.isLocked = true
        }
        #expect(outcome == .rejected(Rejection("too-hot", isFault: true), index: 0))
        #expect(store.state == Thermostat())
    }

    @Test func aMethodThatThrowsOrHasNothingToDoChangesNothing() {
        let store = store()
        let refused = store.update { value throws(Rejection) in
            value.isLocked = true
            throw "locked"
        }
        #expect(refused == .rejected("locked", index: 0))
        let ignored = store.update { $0.degrees = 20 }
        #expect(ignored == .ignored)
        #expect(store.state == Thermostat())
    }

    @Test func aMethodIsCalledOnce() {
        let store = store()
        let calls = Recorder<Int>()
        store.update { value in
            calls.record(value.degrees)
        }
        #expect(calls.values == [20])
    }

    @Test func everyInvariantIsCheckedAfterEachChangeAndTheFirstBrokenOneIsNamed() {
        let checked = Recorder<Int>()
        let store = ObservableStore(
            Thermostat(),
            invariants: [
                Invariant("noted") { value in
                    checked.record(value.degrees)
                    return true
                }, Invariant("too-cold") { $0.degrees >= 5 }, Invariant("far-too-cold") { $0.degrees >= 0 },
            ])
        for change in [1, -30, 2] {
            store.update { $0.degrees += change }
        }
        #expect(checked.values == [21, -9, 23])
        #expect(store.state.degrees == 23)
        let broken = store.update { $0.degrees = -1 }
        #expect(broken == .rejected(Rejection("too-cold", isFault: true), index: 0))
    }

    @Test func aChangeFromInsideANotificationIsQueuedAndCheckedToo() {
        let (store, received, outcomes) = (store(), Recorder<Int>(), Recorder<Outcome>())
        let sender = store.observe { [weak store] value in
            guard let store, value.degrees == 25 else { return }
            for change in [10, 1] {
                let outcome = store.update { $0.degrees += change }
                outcomes.record(outcome)
            }
        }
        let watcher = store.observe { received.record($0.degrees) }
        store.update { $0.degrees = 25 }
        #expect(outcomes.values == [.queued, .queued])
        #expect(received.values == [20, 25, 26])
        withExtendedLifetime((sender, watcher)) {}
    }

    @Test func noChangeIsLostBetweenThreads() async {
        let store = ObservableStore(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<250 {
                        store.update { $0 += 1 }
                    }
                }
            }
        }
        #expect(store.state == 2000)
    }
}
