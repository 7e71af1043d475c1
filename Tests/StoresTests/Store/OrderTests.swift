import Locks
import Stores
import Testing

@Suite struct OrderTests {
    /// Gives a middleware the store that it is part of.
    private final class Backdoor: Sendable {
        private let store = Locked<Store<Tally, TallyAction>?>(nil)

        func set(_ new: Store<Tally, TallyAction>?) { store.withLock { $0 = new } }
        @discardableResult
        func dispatch(_ action: TallyAction) -> Outcome? { store.withLock { $0 }?.dispatch(action).outcome }
    }

    /// Sends actions of its own while it is asked.
    private struct Sender: Interceptor {
        let backdoor: Backdoor
        let outcomes: Recorder<Outcome?>

        func intercept(_ action: TallyAction, in state: Tally) -> Interception<TallyAction> {
            if action == .add(1) { outcomes.record(backdoor.dispatch(.add(2))) }
            return .pass
        }

        func respond(to commit: borrowing Commit<Tally, TallyAction>) -> Effect<TallyAction> {
            guard commit.action == .add(1) else { return .none }
            outcomes.record(backdoor.dispatch(.add(4)))
            return .merge(.dispatch(.add(5)), .dispatch(.add(6)))
        }
    }

    @Test func actionsFromInsideAreReducedInOrderAndNeverNested() {
        let (backdoor, outcomes, received) = (Backdoor(), Recorder<Outcome?>(), Recorder<[Int]>())
        let store = Store.tally(Sender(backdoor: backdoor, outcomes: outcomes))
        backdoor.set(store)
        let first = store.subscribe { commit in
            if commit.action == .add(1) { outcomes.record(backdoor.dispatch(.add(3))) }
        }
        let second = store.subscribe { received.record($0.state.values) }
        #expect(store.dispatch(.add(1)).revision == 1)
        #expect(outcomes.values == [.queued, .queued, .queued])
        #expect(store.state.values == [1, 2, 3, 4, 5, 6])
        #expect(received.values == (1...6).map { Array(1...$0) })
        backdoor.set(nil)
        withExtendedLifetime((first, second)) {}
    }

    @Test func whatIsSentFromInsideComesBeforeWhatAnotherThreadSendsNext() async {
        let store = Store.tally(
            MiddlewareFunction { commit in
                if case .add(let number) = commit.action, number < 1000 { return .dispatch(.add(number + 1000)) }
                return .none
            })
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for number in 0..<100 { store.dispatch(.add(task * 100 + number)) } }
            }
        }
        let values = store.state.values
        #expect(values.count == 800)
        for place in stride(from: 0, to: values.count, by: 2) { #expect(values[place] + 1000 == values[place + 1]) }
    }

    @Test func nothingIsLostWhenManyThreadsSendFromInside() async {
        let (backdoor, outcomes) = (Backdoor(), Recorder<Outcome?>())
        let store = Store.tally()
        backdoor.set(store)
        let subscription = store.subscribe { commit in
            if case .add(let number) = commit.action, number < 1000 {
                outcomes.record(backdoor.dispatch(.add(number + 1000)))
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for number in 0..<100 { store.dispatch(.add(task * 100 + number)) } }
            }
        }
        #expect(store.state.values.sorted() == Array(0..<400) + Array(1000..<1400))
        #expect(outcomes.values == Array(repeating: .queued, count: 400))
        backdoor.set(nil)
        withExtendedLifetime(subscription) {}
    }

    @Test func whatAnEffectEmitsIsReducedBeforeEmitReturns() {
        let (scheduler, seen) = (TestScheduler(), Recorder<[Int]>())
        let backdoor = Backdoor()
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction.working { number, emitter in
                    for offset in 0..<3 {
                        emitter.emit(.add(number + offset))
                        seen.record([number + offset])
                    }
                    return .add(100)
                }
            ], environment: scheduler.environment())
        backdoor.set(store)
        let subscription = store.subscribe { commit in
            if case .add(let number) = commit.action { seen.record([commit.revision, number]) }
        }
        store.dispatch(.start(1))
        scheduler.run()
        #expect(seen.values == [[2, 1], [1], [3, 2], [2], [4, 3], [3], [5, 100]])
        backdoor.set(nil)
        withExtendedLifetime(subscription) {}
    }

    @Test func aSubscriberMayReadTheStore() {
        let (store, seen) = (Store.tally(), Recorder<[Int]>())
        let subscription = store.subscribe { [weak store] commit in
            guard let store else { return }
            seen.record(store.state.values + [store.revision, store.read { $0.values.count }])
            #expect(store.state == commit.state)
        }
        store.dispatch(batch: [.add(7), .add(8)])
        #expect(seen.values == [[7, 1, 1], [7, 8, 2, 2]])
        withExtendedLifetime(subscription) {}
    }

    @Test func aSubscriberAddedDuringANotificationStartsWithTheNextCommit() {
        let (store, received) = (Store.tally(), Recorder<Int>())
        let inner = Locked<[Subscription]>([])
        let outer = store.subscribe { [weak store] commit in
            guard let store, commit.revision == 1 else { return }
            let subscription = store.subscribe { received.record($0.revision) }
            let observation = store.observe { received.record(100 + $0.values.count) }
            inner.withLock { $0 = [subscription, observation] }
        }
        store.dispatch(.add(1))
        #expect(received.values == [101])
        store.dispatch(.add(2))
        #expect(received.values == [101, 2, 102])
        withExtendedLifetime((outer, inner)) {}
    }

    @Test func aSubscriberMayCancelItselfAndIsNotCalledAgain() {
        let (store, received) = (Store.tally(), Recorder<Int>())
        let own = Locked<Subscription?>(nil)
        let subscription = store.subscribe { commit in
            received.record(commit.revision)
            own.withLock { $0 }?.cancel()
        }
        own.withLock { $0 = subscription }
        let other = store.subscribe { received.record(10 * $0.revision) }
        store.dispatch(batch: [.add(1), .add(2)])
        #expect(received.values == [1, 10, 20])
        own.withLock { $0 = nil }
        withExtendedLifetime((subscription, other)) {}
    }

    /// Cancelling a subscription releases its closure, which may end another subscription.
    @Test(.timeLimit(.minutes(5))) func aSubscriberMayOwnAnotherSubscription() {
        let (store, received) = (Store.tally(), Recorder<Int>())
        let outer = subscriptionThatKeepsAnother(of: store, received)
        store.dispatch(.add(1))
        outer.cancel()
        store.dispatch(.add(2))
        #expect(received.values == [1])
    }

    private func subscriptionThatKeepsAnother(
        of store: Store<Tally, TallyAction>, _ received: Recorder<Int>
    ) -> Subscription {
        let inner = store.subscribe { received.record($0.revision) }
        return store.subscribe { _ in withExtendedLifetime(inner) {} }
    }

    @Test func whatAReaderSendsWaitsUntilItHasRead() {
        let (store, outcomes) = (Store.tally(), Recorder<Outcome>())
        store.dispatch(.add(1))
        let seen = store.read { state in
            outcomes.record(store.dispatch(.add(2)).outcome)
            return state.values
        }
        #expect(seen == [1])
        #expect(outcomes.values == [.queued])
        #expect(store.state.values == [1, 2])
    }
}
