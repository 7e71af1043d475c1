import Stores
import Testing

@Suite struct EffectOrderTests {
    private let scheduler = TestScheduler()
    private let gates = Gates()
    private let begun = Recorder<Int>()

    /// Runs an effect that begins as `base + n` on `start(n)`.
    private func works(_ base: Int, _ policy: EffectPolicy = .parallel) -> MiddlewareFunction<Tally, TallyAction> {
        MiddlewareFunction { [gates, begun] commit in
            switch commit.action {
            case .start(let number):
                .run(EffectID("work.\(base)"), policy) {
                    begun.record(base + number)
                    await gates[base + number].wait()
                    return .add(base + number)
                }
            case .stop: .cancel("work.200")
            case .add, .refuse, .skip: .none
            }
        }
    }

    private func store(
        _ order: EffectOrder, _ middleware: any Middleware<Tally, TallyAction>...
    ) -> Store<Tally, TallyAction> {
        Store(
            Tally(), reducer: TallyReducer(), middleware: middleware,
            environment: scheduler.environment(effectOrder: order))
    }

    private func open(_ number: Int) {
        gates[number].open()
        scheduler.run()
    }

    @Test func concurrentEffectsOfSeveralMiddlewaresRunAtTheSameTime() {
        let store = store(.concurrent, works(100), works(200))
        store.dispatch(.start(1))
        scheduler.run()
        #expect(begun.values == [101, 201])
        open(201)
        open(101)
        #expect(store.state.values == [201, 101])
    }

    @Test func sequentialStartsTheEffectsOfAMiddlewareAfterThoseBefore() {
        let store = store(.sequential, works(100), works(200), works(300))
        let receipt = store.dispatch(.start(1))
        #expect(receipt.effects == ["work.100", "work.200", "work.300"])
        scheduler.run()
        #expect(begun.values == [101])
        open(101)
        #expect(begun.values == [101, 201])
        open(201)
        #expect(begun.values == [101, 201, 301])
        open(301)
        #expect(store.state.values == [101, 201, 301])
        #expect(receipt.isSettled)
    }

    @Test func eachCommitIsOrderedByItself() {
        let store = store(.sequential, works(100), works(200))
        store.dispatch(.start(1))
        store.dispatch(.start(2))
        scheduler.run()
        #expect(begun.values == [101, 102])
        open(102)
        #expect(begun.values == [101, 102, 202])
        open(101)
        #expect(begun.values == [101, 102, 202, 201])
        store.end()
    }

    @Test func aMiddlewareWithoutEffectsInBetweenChangesNothing() {
        let between = Timers<Tally, TallyAction>("timers") { _ in [] }
        let store = store(.sequential, works(100), between, works(300))
        store.dispatch(.start(1))
        scheduler.run()
        #expect(begun.values == [101])
        open(101)
        #expect(begun.values == [101, 301])
        store.end()
    }

    @Test func oneThatIsCancelledWhileItWaitsDoesNotLetTheNextBeginEarly() {
        let store = store(.sequential, works(100), works(200), works(300))
        store.dispatch(.start(1))
        scheduler.run()
        store.dispatch(.stop)
        scheduler.run()
        #expect(begun.values == [101])
        open(101)
        #expect(begun.values == [101, 301])
        store.end()
    }

    @Test func oneThatIsCancelledWhileItRunsLetsTheNextBegin() {
        let store = store(.sequential, works(200), works(300))
        store.dispatch(.start(1))
        scheduler.run()
        #expect(begun.values == [201])
        store.dispatch(.stop)
        scheduler.run()
        #expect(begun.values == [201, 301])
        store.end()
    }

    @Test func oneThatWaitedInAQueueStillBeginsAfterThoseBeforeIt() {
        let store = store(.sequential, works(100), works(200, .queued(limit: 9)))
        store.dispatch(.start(1))
        store.dispatch(.start(2))
        scheduler.run()
        open(101)
        #expect(begun.values == [101, 102, 201])
        open(201)
        #expect(begun.values == [101, 102, 201])
        open(102)
        #expect(begun.values == [101, 102, 201, 202])
        store.end()
    }

    @Test func endingAStoreResumesAllWaiters() {
        let store = store(.sequential, works(100), works(200), works(300))
        let receipt = store.dispatch(.start(1))
        scheduler.run()
        store.end()
        scheduler.run()
        #expect(receipt.isSettled)
        #expect(begun.values == [101])
    }
}
