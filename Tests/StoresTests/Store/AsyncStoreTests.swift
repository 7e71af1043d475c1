import Stores
import Testing

@Suite struct AsyncStoreTests {
    /// Takes its time: another action sent meanwhile must wait.
    private struct Slow: AsyncReducer {
        var before: @Sendable (TallyAction) async -> Void = { _ in await Task.yield() }

        func reduce(
            _ state: Tally, _ action: TallyAction, show: @Sendable (Tally) -> Void
        ) async throws(Rejection) -> Tally? {
            await before(action)
            var next = state
            switch TallyReducer().apply(action, to: &next) {
            case .accept: return next
            case .ignore, .follow: return nil
            case .reject(let rejection): throw rejection
            }
        }
    }

    @Test func noUpdateIsLostAndTheOrderOfEachSenderIsPreserved() async {
        let store = AsyncStore(Tally(), reducer: Slow())
        let revisions = Recorder<Int>()
        let subscription = store.subscribe { revisions.record($0.revision) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for number in 0..<63 { store.send(.add(task * 100 + number)) }
                }
            }
        }
        await store.dispatch(.skip)
        #expect(revisions.values == Array(1...1008))
        for task in 0..<16 {
            let own = store.state.values.filter { $0 / 100 == task }
            #expect(own == (0..<63).map { task * 100 + $0 })
        }
        withExtendedLifetime(subscription) {}
    }

    @Test func ignoredAndRejectedActionsLeaveNoTrace() async {
        let store = AsyncStore(Tally(), reducer: Slow())
        #expect(await store.dispatch(.refuse).outcome == .rejected("refused", index: 0))
        #expect(await store.dispatch(.skip).outcome == .ignored)
        #expect(store.revision == 0)
        #expect(store.state == Tally())
    }

    @Test func theQueueIsBounded() async {
        let (gate, entered) = (Gate(), Gate())
        let store = AsyncStore(
            Tally(),
            reducer: Slow(before: { action in
                guard action == .add(0) else { return }
                entered.open()
                await gate.wait()
            }))
        store.send(.add(0))
        await entered.wait()
        for number in 1...AsyncStore<Tally, TallyAction>.queueLimit { store.send(.add(number)) }
        let turnedAway = await store.dispatch(.add(-1))
        #expect(turnedAway.outcome == .overloaded)
        gate.open()
        let last = await store.dispatch(.add(-2))
        // Where the line had room again by then, all before it has been reduced.
        #expect(last.outcome == .committed || last.outcome == .overloaded)
        while await store.dispatch(.skip).outcome == .overloaded { await Task.yield() }
        #expect(store.state.values.prefix(1025).elementsEqual(0...1024))
        #expect(!store.state.values.contains(-1))
    }

    @Test func actionsOfEffectsGoThroughTheQueue() async {
        let store = AsyncStore(
            Tally(), reducer: Slow(),
            middleware: [
                MiddlewareFunction.working { number, emitter in
                    emitter.emit(.add(number))
                    return .add(number + 1)
                }
            ])
        let receipt = await store.dispatch(.start(1))
        await receipt.settled()
        #expect(store.state.values == [1, 2])
    }

    @Test func settledCountsWhatAMiddlewareDispatched() async {
        let store = AsyncStore(
            Tally(), reducer: Slow(),
            middleware: [
                MiddlewareFunction { commit in
                    commit.action == .start(1) ? .dispatch(.add(1)) : .none
                }
            ])
        await store.dispatch(.start(1)).settled()
        #expect(store.state.values == [1])
    }

    @Test func aWaiterMayAskTheStoreWhenAnEffectIsCancelled() async {
        let gate = Gate()
        let store = AsyncStore(
            Tally(), reducer: Slow(),
            middleware: [
                MiddlewareFunction.working { _, _ in
                    await gate.wait()
                    return nil
                }
            ])
        let (seen, received) = (Recorder<Int>(), Gate())
        let receipt = await store.dispatch(.start(1))
        receipt.effectGroup?.whenSettled {
            seen.record(store.revision)
            received.open()
        }
        await store.dispatch(.stop)
        // A task that asks when all has settled may be answered before earlier waiters.
        await received.wait()
        #expect(seen.values == [2])
        gate.open()
    }
}
