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

    @Test func tellsOfEachChange() {
        let store = store()
        let told = Recorder<Int>()
        let subscription = store.observe { told.record($0.degrees) }
        for _ in 1...3 {
            let outcome = store.update { value in
                value.degrees += 1
                return true
            }
            #expect(outcome == .committed)
        }
        #expect(told.values == [20, 21, 22, 23])
        withExtendedLifetime(subscription) {}
    }

    @Test func aMethodThatBreaksAnInvariantChangesNothing() {
        let store = store()
        let outcome = store.update { value in
            value.degrees = 31
            value.isLocked = true
            return true
        }
        #expect(outcome == .rejected("too-hot", index: 0))
        #expect(store.state == Thermostat())
    }

    @Test func aMethodThatThrowsOrHasNothingToDoChangesNothing() {
        let store = store()
        let refused = store.update { value throws(Rejection) in
            value.isLocked = true
            throw "locked"
        }
        #expect(refused == .rejected("locked", index: 0))
        let ignored = store.update { value in
            value.isLocked = true
            return false
        }
        #expect(ignored == .ignored)
        #expect(store.state == Thermostat())
    }

    @Test func aMethodIsCalledOnce() {
        let store = store()
        let calls = Recorder<Int>()
        store.update { value in
            calls.record(value.degrees)
            return true
        }
        #expect(calls.values == [20])
    }
}
