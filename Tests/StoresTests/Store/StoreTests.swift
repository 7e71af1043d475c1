import Stores
import Testing

@Suite struct StoreTests {
    @Test func reducesInOrderAndCountsRevisions() {
        let store = Store.tally()
        for value in 1...3 {
            let receipt = store.dispatch(.add(value))
            #expect(receipt.outcome == .committed)
            #expect(receipt.revision == value)
        }
        #expect(store.state.values == [1, 2, 3])
    }

    @Test(arguments: [(TallyAction.refuse, Outcome.rejected("refused", index: 0)), (.skip, .ignored)])
    func uncommittedActionsLeaveNoTrace(_ action: TallyAction, _ outcome: Outcome) {
        let asked = Recorder<TallyAction>()
        let store = Store.tally(
            MiddlewareFunction { commit in
                asked.record(commit.action)
                return .none
            })
        store.dispatch(.add(1))
        let received = Recorder<Int>()
        let subscription = store.subscribe { received.record($0.revision) }
        let receipt = store.dispatch(action)
        #expect(receipt.outcome == outcome)
        #expect(receipt.revision == 1)
        #expect(receipt.effects.isEmpty)
        #expect(store.state == Tally(values: [1]))
        #expect(received.values.isEmpty)
        #expect(asked.values == [.add(1)])
        subscription.cancel()
    }

    @Test func eachCommitIsNotifiedOnceWithItsOwnState() {
        let store = Store.tally()
        let received = Recorder<[Int]>()
        let subscription = store.subscribe { received.record([$0.revision] + $0.state.values) }
        store.dispatch(.add(7))
        store.dispatch(.add(8))
        #expect(received.values == [[1, 7], [2, 7, 8]])
        subscription.cancel()
        store.dispatch(.add(9))
        #expect(received.values.count == 2)
    }

    @Test func actionsOfAnObserverAreQueuedBehindTheCurrentAction() {
        let store = Store.tally()
        let received = Recorder<[Int]>()
        let outcomes = Recorder<Outcome>()
        let first = store.observe { [weak store] state in
            guard let store, state.values.count == 1 else { return }
            outcomes.record(store.dispatch(.add(10)).outcome)
            outcomes.record(store.dispatch(.add(20)).outcome)
        }
        let second = store.observe { received.record($0.values) }
        let receipt = store.dispatch(.add(1))
        #expect(receipt.revision == 1)
        #expect(outcomes.values == [.queued, .queued])
        #expect(received.values == [[], [1], [1, 10], [1, 10, 20]])
        #expect(store.revision == 3)
        withExtendedLifetime((first, second)) {}
    }

    @Test func anObserverMaySendInItsFirstCall() {
        let store = Store.tally()
        let subscription = store.observe { [weak store] state in
            if state.values.isEmpty { store?.send(.add(1)) }
        }
        #expect(store.state.values == [1])
        withExtendedLifetime(subscription) {}
    }

    @Test func aBatchIsCommittedWithNothingInBetween() {
        let store = Store.tally()
        let ends = Recorder<Bool>()
        let subscription = store.subscribe { [weak store] commit in
            ends.record(commit.endsBatch)
            if commit.revision == 1 { store?.send(.add(99)) }
        }
        let receipt = store.dispatch(batch: [.add(1), .skip, .add(2), .add(3)])
        #expect(receipt.outcome == .committed)
        #expect(receipt.revision == 3)
        #expect(store.state.values == [1, 2, 3, 99])
        #expect(ends.values == [false, false, true, true])
        withExtendedLifetime(subscription) {}
    }

    @Test func aRejectedBatchChangesNothing() {
        let store = Store.tally()
        let received = Recorder<Int>()
        let subscription = store.subscribe { received.record($0.revision) }
        let receipt = store.dispatch(batch: [.add(1), .add(2), .refuse, .add(3)])
        #expect(receipt.outcome == .rejected("refused", index: 2))
        #expect(receipt.revision == 0)
        #expect(store.state == Tally())
        #expect(received.values.isEmpty)
        withExtendedLifetime(subscription) {}
    }

    @Test(arguments: [[], [TallyAction.skip, .skip]])
    func aBatchWithNothingToDoIsIgnored(_ batch: [TallyAction]) {
        let store = Store.tally()
        #expect(store.dispatch(batch: batch).outcome == .ignored)
        #expect(store.revision == 0)
    }

    @Test func noUpdateIsLostBetweenThreads() async {
        let store = Store.tally()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for number in 0..<250 { store.dispatch(.add(task * 1000 + number)) } }
            }
        }
        #expect(store.revision == 2000)
        for task in 0..<8 {
            let own = store.state.values.filter { $0 / 1000 == task }
            #expect(own == (0..<250).map { task * 1000 + $0 })
        }
    }
}
