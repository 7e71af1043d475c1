import Stores
import Testing

@Suite struct EffectTests {
    @Test func aMiddlewareWithNothingToDoDoesNotSilenceTheNext() {
        let asked = Recorder<Int>()
        let store = Store.tally(
            MiddlewareFunction { _ in
                asked.record(1)
                return .none
            },
            MiddlewareFunction { commit in
                asked.record(2)
                return commit.action == .start(5) ? .dispatch(.add(5)) : .none
            })
        store.dispatch(.start(5))
        #expect(store.state.values == [5])
        #expect(asked.values == [1, 2, 1, 2])
    }

    @Test func effectsOfSeveralMiddlewaresRunAtTheSameTime() {
        let (scheduler, gates, begun) = (TestScheduler(), Gates(), Recorder<Int>())
        let works = [100, 200].map { base in
            MiddlewareFunction<Tally, TallyAction> { commit in
                guard case .start(let number) = commit.action else { return .none }
                return .run(EffectID("work.\(base)"), .parallel) {
                    begun.record(base + number)
                    await gates[base + number].wait()
                    return .add(base + number)
                }
            }
        }
        let store = Store(
            Tally(), reducer: TallyReducer(), middleware: works, environment: scheduler.environment())
        let receipt = store.dispatch(.start(1))
        #expect(receipt.effects == ["work.100", "work.200"])
        scheduler.run()
        #expect(begun.values == [101, 201])
        for number in [201, 101] {
            gates[number].open()
            scheduler.run()
        }
        #expect(store.state.values == [201, 101])
        #expect(receipt.isSettled)
    }

    @Test func aCommitNamesItsOriginAndCause() async {
        let store = Store.tally(
            MiddlewareFunction.working { number, emitter in
                emitter.emit(.add(number))
                return .add(number + 1)
            })
        let received = Recorder<String>()
        let subscription = store.subscribe { commit in
            received.record("\(commit.revision) \(commit.origin) \(commit.cause.map(String.init) ?? "-")")
        }
        let receipt = store.dispatch(.start(1))
        #expect(receipt.effects == ["work"])
        await receipt.settled()
        #expect(received.values == ["1 client -", "2 effect 1", "3 effect 1"])
        #expect(store.state.values == [1, 2])
        withExtendedLifetime(subscription) {}
    }

    /// The older run does not even heed its cancellation, and speaks after the newer one: it is not heard.
    @Test func theLatestWins() async {
        let (old, started, spoken) = (Gate(), Gate(), Gate())
        let store = Store.tally(
            MiddlewareFunction.working { number, emitter in
                guard number == 1 else { return .add(number) }
                started.open()
                await old.wait()
                emitter.emit(.add(100))
                spoken.open()
                return .add(101)
            })
        let first = store.dispatch(.start(1))
        await started.wait()
        let second = store.dispatch(.start(2))
        await first.settled()
        await second.settled()
        old.open()
        await spoken.wait()
        #expect(store.state.values == [2])
        #expect(store.revision == 3)
    }

    @Test func anEffectCancelledBeforeItStartedSendsNothing() async {
        let store = Store.tally(MiddlewareFunction.working { number, _ in .add(number) })
        for number in 1...100 {
            let receipt = store.dispatch(batch: [.start(number), .stop])
            #expect(receipt.effects == ["work"])
            await receipt.settled()
        }
        await store.dispatch(.start(0)).settled()
        #expect(store.state.values == [0])
    }

    @Test func aWaiterMayAskTheStoreWhenAnEffectIsCancelled() async {
        let gate = Gate()
        let store = Store.tally(
            MiddlewareFunction.working { _, _ in
                await gate.wait()
                return nil
            })
        let seen = Recorder<[Int]>()
        let receipt = store.dispatch(.start(1))
        receipt.effectGroup?.whenSettled { seen.record(store.state.values) }
        store.dispatch(batch: [.add(1), .stop])
        #expect(seen.values == [[1]])
        gate.open()
    }

    @Test func settledWaitsForAllFollowUps() async {
        let (first, second) = (Gate(), Gate())
        let store = Store.tally(
            MiddlewareFunction { commit in
                switch commit.action {
                case .start(1):
                    .run("one") {
                        await first.wait()
                        return .start(2)
                    }
                case .start(2): .dispatch(.start(3))
                case .start(3):
                    .run("three") {
                        await second.wait()
                        return .add(3)
                    }
                default: .none
                }
            })
        let receipt = store.dispatch(.start(1))
        let (settled, received) = (Recorder<[Int]>(), Gate())
        receipt.effectGroup?.whenSettled {
            settled.record(store.state.values)
            received.open()
        }
        first.open()
        #expect(settled.values.isEmpty)
        second.open()
        await received.wait()
        await receipt.settled()
        #expect(store.state.values == [3])
        #expect(settled.values == [[3]])
    }

    @Test func settledCountsWhatAMiddlewareDispatched() async {
        let gate = Gate()
        let store = Store.tally(
            MiddlewareFunction { commit in
                switch commit.action {
                case .add(1): .dispatch(.start(2))
                case .start(let number):
                    .run("work") {
                        await gate.wait()
                        return .add(number)
                    }
                default: .none
                }
            })
        let receipt = store.dispatch(.add(1))
        gate.open()
        await receipt.settled()
        #expect(store.state.values == [1, 2])
    }

    @Test func anEndedStoreCommitsNothingMore() async {
        let (gate, spoken) = (Gate(), Gate())
        let store = Store.tally(
            MiddlewareFunction.working { number, emitter in
                await gate.wait()
                emitter.emit(.add(number))
                spoken.open()
                return nil
            })
        let receipt = store.dispatch(.start(1))
        store.end()
        await receipt.settled()
        gate.open()
        #expect(store.dispatch(.add(2)).outcome == .ended)
        #expect(store.state.values.isEmpty)
    }

    @Test func anEffectDoesNotRetainItsStore() async {
        let (gate, started) = (Gate(), Gate())
        var store: Store<Tally, TallyAction>? = .tally(
            MiddlewareFunction.working { _, _ in
                started.open()
                await gate.wait()
                return .add(1)
            })
        weak let watched = store
        let receipt = store?.dispatch(.start(1))
        await started.wait()
        store = nil
        #expect(watched == nil)
        await receipt?.settled()
        gate.open()
    }
}
