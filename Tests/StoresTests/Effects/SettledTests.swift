import Stores
import Testing

@Suite struct SettledTests {
    private let scheduler = TestScheduler()
    private let gates = Gates()

    private func store(
        _ respond: @escaping @Sendable (TallyAction, Gates) -> Effect<TallyAction>
    ) -> Store<Tally, TallyAction> {
        let gates = gates
        return Store(
            Tally(), reducer: TallyReducer(),
            middleware: [MiddlewareFunction { commit in respond(commit.action, gates) }],
            environment: scheduler.environment())
    }

    private func open(_ number: Int) {
        gates[number].open()
        scheduler.run()
    }

    @Test(arguments: [TallyAction.add(1), .skip, .refuse]) func whatSetsNothingGoingIsSettledAtOnce(
        _ action: TallyAction
    ) async {
        let receipt = Store.tally().dispatch(action)
        #expect(receipt.isSettled)
        await receipt.settled()
    }

    @Test func settledWaitsForEachFollowUp() {
        let store = store { action, gates in
            switch action {
            case .start(let number) where number < 3:
                .run("work") {
                    await gates[number].wait()
                    return .add(number)
                }
            case .add(let number): .dispatch(.start(number + 1))
            default: .none
            }
        }
        let receipt = store.dispatch(.start(0))
        scheduler.run()
        for number in 0..<3 {
            #expect(!receipt.isSettled)
            open(number)
        }
        #expect(receipt.isSettled)
        #expect(store.state.values == [0, 1, 2])
    }

    @Test func settledWaitsForWhatAnEmittedActionStartedAfterTheEmitterEnded() {
        let store = store { action, gates in
            switch action {
            case .start(1):
                .run(
                    "first",
                    emitting: { emitter in
                        emitter.emit(.start(2))
                        return nil
                    })
            case .start(2):
                .run("second") {
                    await gates[2].wait()
                    return .add(2)
                }
            default: .none
            }
        }
        let receipt = store.dispatch(.start(1))
        scheduler.run()
        #expect(!receipt.isSettled)
        open(2)
        #expect(receipt.isSettled)
        #expect(store.state.values == [2])
    }

    @Test func settledWaitsForWhatStandsInAQueue() {
        let bench = EffectBench(.queued(limit: 5))
        let receipts = (1...3).map { bench.start($0) }
        bench.open(1)
        #expect(receipts.map { $0.isSettled } == [true, false, false])
        bench.open(2)
        bench.open(3)
        #expect(receipts.allSatisfy { $0.isSettled })
    }

    @Test func settledWaitsForTheActionOfADeadline() {
        let store = store { action, gates in
            switch action {
            case .start(1):
                Effect.run("first") {
                    await gates[1].wait()
                    return nil
                }.deadline(.milliseconds(10), else: .start(2))
            case .start(2):
                .run("second") {
                    await gates[2].wait()
                    return nil
                }
            default: .none
            }
        }
        let receipt = store.dispatch(.start(1))
        scheduler.advance(by: 10)
        #expect(store.revision == 2)
        #expect(!receipt.isSettled)
        open(2)
        #expect(receipt.isSettled)
    }

    @Test func aGroupIsNotSettledWhileAnEffectReplacesItsOwn() {
        let settled = Recorder<Int>()
        let store = store { action, gates in
            guard case .start(let number) = action else { return .none }
            return .run(
                "work", .latest,
                emitting: { emitter in
                    if number == 1 { emitter.emit(.start(2)) }
                    await gates[number].wait()
                    return nil
                })
        }
        let receipt = store.dispatch(.start(1))
        receipt.effectGroup?.whenSettled { [weak store] in settled.record(store?.revision ?? -1) }
        scheduler.run()
        open(1)
        #expect(settled.values == [])
        open(2)
        #expect(settled.values == [2])
    }

    @Test func settledResumesAllWaiters() async {
        let bench = EffectBench(.parallel)
        let receipt = bench.store.dispatch(.start(1))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await receipt.settled() } }
            bench.open(1)
            await group.waitForAll()
        }
        #expect(receipt.isSettled)
    }

    @Test func eachBatchHasOneChain() {
        let bench = EffectBench(.parallel)
        let receipt = bench.store.dispatch(batch: [.start(1), .start(2)])
        #expect(receipt.effects == ["work", "work"])
        bench.open(1)
        #expect(!receipt.isSettled)
        bench.open(2)
        #expect(receipt.isSettled)
    }

    @Test func othersChainsAreNotWaitedFor() {
        let bench = EffectBench(.parallel)
        let (first, second) = (bench.start(1), bench.start(2))
        bench.open(1)
        #expect(first.isSettled)
        #expect(!second.isSettled)
        bench.store.end()
    }
}

@Suite struct CauseTests {
    /// Tells of each commit as `revision origin cause`.
    private func received(_ store: Store<Tally, TallyAction>) -> (Recorder<String>, Subscription) {
        let received = Recorder<String>()
        return (received, store.subscribe { received.record("\($0.revision) \($0.origin) \($0.cause ?? 0)") })
    }

    @Test func eachActionNamesTheRevisionThatCausedIt() async {
        let store = Store.tally(
            MiddlewareFunction { commit in
                switch commit.action {
                case .start(1):
                    .merge(
                        .dispatch(.add(1)),
                        .run(
                            "work",
                            emitting: { emitter in
                                emitter.emit(.add(2))
                                return .start(3)
                            }))
                case .add(1): .dispatch(.add(4))
                case .start(3): .dispatch(.add(5))
                default: .none
                }
            })
        let (received, subscription) = received(store)
        await store.dispatch(.start(1)).settled()
        #expect(
            received.values == [
                "1 client 0", "2 middleware 1", "3 middleware 2", "4 effect 1", "5 effect 1", "6 middleware 5",
            ])
        withExtendedLifetime(subscription) {}
    }

    @Test func inABatchEachEffectNamesItsOwnAction() {
        let bench = EffectBench(.parallel)
        let (received, subscription) = received(bench.store)
        bench.store.dispatch(batch: [.start(1), .start(2)])
        bench.scheduler.run()
        bench.open(2)
        bench.open(1)
        #expect(received.values == ["1 client 0", "2 client 0", "3 effect 2", "4 effect 1"])
        withExtendedLifetime(subscription) {}
    }

    @Test func whatASubscriberSendsIsAClientsAction() {
        let store = Store.tally()
        let (received, subscription) = received(store)
        let sender = store.subscribe { [weak store] commit in
            if commit.revision == 1 { store?.send(.add(2)) }
        }
        store.dispatch(.add(1))
        #expect(received.values == ["1 client 0", "2 client 0"])
        withExtendedLifetime((subscription, sender)) {}
    }

    @Test func effectsOfAResumeHaveTheOriginSystem() {
        struct Resumer: Middleware {
            func resume(_ state: Tally) -> Effect<TallyAction> { .dispatch(.add(1)) }
            func respond(to commit: borrowing Commit<Tally, TallyAction>) -> Effect<TallyAction> { .none }
        }
        let store = Store.tally(Resumer())
        let (received, subscription) = received(store)
        store.resume()
        #expect(received.values == ["1 system 0"])
        withExtendedLifetime(subscription) {}
    }
}
