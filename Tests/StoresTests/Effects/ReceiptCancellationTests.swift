import Stores
import Testing

@Suite struct ReceiptCancellationTests {
    private let scheduler = TestScheduler()

    @Test func aReceiptCancelsTheEffectsOfItsDispatchOnly() {
        let bench = EffectBench(.parallel)
        let (first, second) = (bench.start(1), bench.start(2))
        first.cancel()
        #expect(first.isSettled)
        #expect(!second.isSettled)
        bench.open(1)
        bench.open(2)
        #expect(bench.store.state.values == [2])
        first.cancel()
        #expect(bench.store.state.values == [2])
    }

    @Test func itCancelsWhatFollowedFromItsEffects() {
        let gates = Gates()
        let store = Store(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction.working { number, _ in
                    await gates[number].wait()
                    return number < 3 ? .start(number + 1) : .add(number)
                }
            ], environment: scheduler.environment())
        let receipt = store.dispatch(.start(1))
        gates[1].open()
        scheduler.run()
        #expect(store.revision == 2)
        receipt.cancel()
        for number in 2...3 { gates[number].open() }
        scheduler.run()
        #expect(store.revision == 2)
        #expect(store.state.values == [])
    }

    @Test func anEffectThatWaitedBehindACancelledOneStarts() {
        let bench = EffectBench(.queued(limit: 5))
        let receipts = (1...3).map { bench.start($0) }
        receipts[1].cancel()
        #expect(bench.started.values == [1])
        receipts[0].cancel()
        bench.scheduler.run()
        #expect(bench.started.values == [1, 3])
        bench.open(3)
        #expect(bench.store.state.values == [3])
    }

    @Test func itIsReportedAsCancelled() {
        let recorder = EffectRecorder()
        let receipt = recorder.store.dispatch(.start(1))
        recorder.scheduler.run()
        receipt.cancel()
        #expect(recorder.received.values == ["commit 1", "started 1", "cancelled 1"])
    }

    @Test func theEventOfACancellationAfterABatchIsNotDeferred() {
        let recorder = EffectRecorder()
        let receipt = recorder.store.dispatch(batch: [.start(1), .add(2)])
        recorder.scheduler.run()
        receipt.cancel()
        #expect(recorder.received.values == ["commit 1", "commit 2", "started 1", "cancelled 1"])
    }

    @Test func aCommitThatCancelsItsOwnDispatchStartsNothingMore() {
        let bench = EffectBench(.parallel) { number, effect in number == 1 ? .run("first") { .start(2) } : effect }
        let receipt = bench.store.dispatch(.start(1))
        let subscription = bench.store.subscribe { commit in
            if commit.action == .start(2) { receipt.cancel() }
        }
        bench.scheduler.run()
        #expect(bench.store.revision == 2)
        #expect(bench.started.values == [])
        #expect(receipt.isSettled)
        subscription.cancel()
    }

    @Test func aSubscriberMayCancel() {
        let bench = EffectBench(.parallel)
        let receipt = bench.start(1)
        let subscription = bench.store.subscribe { commit in
            if commit.action == .add(7) { receipt.cancel() }
        }
        bench.store.dispatch(.add(7))
        #expect(receipt.isSettled)
        bench.open(1)
        #expect(bench.store.state.values == [7])
        subscription.cancel()
    }

    @Test func aReceiptWithoutEffectsCancelsNothing() {
        let bench = EffectBench(.parallel)
        let receipt = bench.start(1)
        bench.store.dispatch(.add(7)).cancel()
        bench.open(1)
        #expect(bench.store.state.values == [7, 1])
        #expect(receipt.isSettled)
    }

    @Test func aReceiptOfAnEndedOrReleasedStoreCancelsNothing() {
        var store: Store<Tally, TallyAction>? = Store.tally(MiddlewareFunction.working { number, _ in .add(number) })
        let receipt = store?.dispatch(.start(1))
        store?.end()
        receipt?.cancel()
        store = nil
        receipt?.cancel()
        #expect(receipt?.effects == ["work"])
    }

    @Test func aStoreCancelsByID() {
        let bench = EffectBench(.parallel)
        let receipts = (1...2).map { bench.start($0) }
        bench.store.cancel(id: "other")
        #expect(!receipts[0].isSettled)
        bench.store.cancel(id: "work")
        let areSettled = receipts.allSatisfy { $0.isSettled }
        #expect(areSettled)
        for number in 1...3 { bench.open(number) }
        #expect(bench.store.state.values == [])
        bench.start(3)
        #expect(bench.store.state.values == [3])
    }

    @Test func aStoreCancelsByIDInAllParts() {
        let gates = Gates()
        let store = Store(Nest(), reducer: NestReducer(gates: gates), environment: scheduler.environment())
        store.dispatch(.left(.sing("a")))
        store.dispatch(.right(.sing("b")))
        store.cancel(id: "song")
        for name in ["a", "b"] { gates[name].open() }
        scheduler.run()
        #expect(store.state == Nest())
    }

    @Test func anAsyncStoreCancelsByReceiptAndByID() async {
        let gates = Gates()
        let store = AsyncStore(
            Tally(), reducer: Asynchronous(TallyReducer()),
            middleware: [
                MiddlewareFunction { commit in
                    guard case .start(let number) = commit.action else { return .none }
                    return .run("work", .parallel) {
                        await gates[number].wait()
                        return .add(number)
                    }
                }
            ])
        var receipts: [Receipt] = []
        for number in 1...3 { receipts.append(await store.dispatch(.start(number))) }
        receipts[0].cancel()
        gates[1].open()
        gates[2].open()
        await receipts[1].settled()
        #expect(store.state.values == [2])
        store.cancel(id: "work")
        await receipts[2].settled()
        gates[3].open()
        await store.dispatch(.skip)
        #expect(store.state.values == [2])
    }
}
