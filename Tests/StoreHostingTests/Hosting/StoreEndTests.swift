import StoreHosting
import Stores
import Testing

/// The end of a store that nobody uses.
@Suite struct StoreEndTests {
    @Test func aStoreThatIsInUseGoesOn() {
        let store = Locker.first.makeStore()
        #expect(!store.endIfIdle { false })
        #expect(look(at: store))
        #expect(store.endIfIdle { true })
        #expect(!look(at: store))
        #expect(store.revision == 1)
    }

    /// Whatever the condition finds about the newest commit stays true, on all threads.
    @Test func noCommitComesBetweenTheConditionAndTheEnd() async {
        for _ in 0..<50 {
            let store = Locker.first.makeStore()
            let looks = Task.detached { () -> Int in
                var count = 0
                while look(at: store) { count += 1 }
                return count
            }
            var seen = 0
            while !store.endIfIdle(and: {
                seen = store.revision
                return seen > 20
            }) { await Task.yield() }
            #expect(await looks.value == seen)
            #expect(store.revision == seen)
        }
    }
}

/// - Returns: whether the store has committed it.
private func look(at store: HostedStore) -> Bool {
    store.dispatch(["type": "locker/look"], DispatchOptions(), makeCompletion: { { _ in } })?.isCommitted == true
}
