import Stores
import Testing

/// Other ways to follow a store: sequences of states, changes of one part, and derived stores for reading.
@Suite struct ChangesTests {
    @Test func aSlowLoopSeesTheNewestState() async {
        let store = Store.tally()
        var states = store.states.makeAsyncIterator()
        #expect(await states.next()?.values == [])
        for number in 1...100 { store.dispatch(.add(number)) }
        #expect(await states.next()?.values.count == 100)
        store.dispatch(.add(101))
        #expect(await states.next()?.values.last == 101)
    }

    @Test func theSequenceEndsWithTheStore() async {
        var store: Store<Tally, TallyAction>? = .tally()
        let released = store?.states
        store = nil
        var count = 0
        for await _ in released ?? AsyncStream(unfolding: { nil }) { count += 1 }
        #expect(count == 1)

        let ended = Store.tally()
        let states = ended.states
        ended.end()
        for await _ in states { count += 1 }
        for await _ in ended.states { count += 1 }
        #expect(count == 3)
    }

    @Test func theSubscriptionEndsWithTheSequence() async {
        let store = Store.tally()
        do {
            let counts = store.derived(state: { $0.values.count })
            for await count in counts.states {
                store.dispatch(.add(1))
                if count == 3 { break }
            }
        }
        #expect(store.state.values.count == 4)
        // A store that has a subscriber is not idle.
        let isIdle = store.core.endIfIdle()
        #expect(isIdle)
    }

    @Test func aCancelledTaskLeavesTheLoop() async {
        let store = Store.tally()
        let task = Task {
            var last = 0
            for await state in store.states { last = state.values.count }
            return last
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test func onChangeIsCalledWithBothValuesOfAPart() {
        let store = Store.tally()
        let seen = Recorder<[Int]>()
        let subscription = store.onChange(of: \.values.count) { seen.record([$0, $1]) }
        store.dispatch(.add(5))
        store.dispatch(.start(1))
        store.dispatch(.skip)
        store.dispatch(.add(5))
        #expect(seen.values == [[0, 1], [1, 2]])
        subscription.cancel()
        store.dispatch(.add(5))
        #expect(seen.values.count == 2)
    }

    @Test func anActionSentByOnChangeIsQueued() {
        let store = Store.tally()
        let seen = Recorder<[Int]>()
        let subscription = store.onChange(of: \.values.count) { [weak store] old, new in
            seen.record([old, new])
            if new < 3 { store?.send(.add(new)) }
        }
        store.dispatch(.add(0))
        #expect(seen.values == [[0, 1], [1, 2], [2, 3]])
        withExtendedLifetime(subscription) {}
    }

    @Test func aDerivedStoreForReadingHasNoActions() {
        let store = Store.tally()
        let count: DerivedStore<Int, Never> = store.derived(state: { $0.values.count })
        let received = Recorder<Int>()
        let subscription = count.observe(received.record)
        for number in 1...3 { store.dispatch(.add(number)) }
        store.dispatch(.start(1))
        #expect(received.values == [0, 1, 2, 3])
        withExtendedLifetime(subscription) {}
    }

    @Test func theSameObserverTwiceIsCalledTwice() {
        let store = Store.tally()
        let received = Recorder<Int>()
        let observer: @Sendable (Tally) -> Void = { received.record($0.values.count) }
        let subscriptions = [store.observe(observer), store.observe(observer)]
        store.dispatch(.add(1))
        #expect(received.values == [0, 0, 1, 1])
        withExtendedLifetime(subscriptions) {}
    }

    private struct Sum: Sendable { let value: Int }

    @Test func theComparisonIsOnesOwn() {
        let store = Store.tally()
        let sums = store.derived(
            state: { Sum(value: $0.values.reduce(0, +)) }, skipRepeats: { $0.value / 10 == $1.value / 10 })
        let each = store.derived(
            state: { Sum(value: $0.values.count) }, action: { (number: Int) in TallyAction.add(number) },
            skipRepeats: { _, _ in false })
        let (tens, all) = (Recorder<Int>(), Recorder<Int>())
        let subscriptions = [sums.observe { tens.record($0.value) }, each.observe { all.record($0.value) }]
        for number in [3, 4, 5, 20] { each.send(number) }
        store.dispatch(.start(1))
        // The last one that was told is compared, not the last one that there was.
        #expect(tens.values == [0, 12, 32])
        #expect(all.values == [0, 1, 2, 3, 4, 4])
        withExtendedLifetime(subscriptions) {}
    }
}
