import Stores
import Testing

@Suite struct CommitLoggerTests {
    private let log = Recorder<String>()
    private let scheduler = TestScheduler()

    /// Asked about each commit, as a middleware that may start effects.
    private struct Asked: Middleware {
        let log: Recorder<String>
        var readsPreviousState = false

        func respond(to commit: borrowing Commit<Tally, TallyAction>) -> Effect<TallyAction> {
            log.record(line(commit))
            guard case .start(let number) = commit.action else { return .none }
            return .run("work", .parallel) { .add(number) }
        }
    }

    private func store(
        _ middleware: any Middleware<Tally, TallyAction>..., effectLimit: Int = 64
    ) -> Store<Tally, TallyAction> {
        Store(
            Tally(), reducer: TallyReducer(), middleware: middleware,
            environment: scheduler.environment(effectLimit: effectLimit))
    }

    private var logger: CommitLogger<Tally, TallyAction> {
        CommitLogger(previousState: true) { [log] commit in log.record(line(commit)) }
    }

    @Test func aLoggerHasTheStatesBeforeAndAfter() {
        let store = store(logger)
        store.dispatch(.add(1))
        store.dispatch(.skip)
        store.dispatch(.add(2))
        #expect(log.values == ["1 [] [1] ends", "2 [1] [1, 2] ends"])
    }

    @Test func thePreviousStateIsThereWhereAMiddlewareAsksForIt() {
        let store = store(Asked(log: log))
        store.dispatch(.add(1))
        let other = self.store(Asked(log: log, readsPreviousState: true))
        other.dispatch(.add(1))
        #expect(log.values == ["1 nil [1] ends", "1 [] [1] ends"])
    }

    @Test func eachActionOfABatchIsAskedOnceWithItsOwnCommit() {
        let store = store(Asked(log: log, readsPreviousState: true))
        store.dispatch(.add(0))
        let receipt = store.dispatch(batch: [.add(1), .skip, .start(5), .add(2)])
        #expect(receipt.effects == ["work"])
        #expect(
            log.values == [
                "1 [] [0] ends", "2 [0] [0, 1] goes on", "3 [0, 1] [0, 1] goes on", "4 [0, 1] [0, 1, 2] ends",
            ])
        scheduler.run()
        #expect(store.state.values == [0, 1, 2, 5])
    }

    @Test func anActionNearTheLimitIsAskedOnce() {
        let store = store(Asked(log: log), effectLimit: 1)
        store.dispatch(.start(1))
        store.dispatch(.add(2))
        #expect(log.values == ["1 nil [] ends", "2 nil [2] ends"])
        scheduler.run()
        #expect(store.state.values == [2, 1])
    }

    @Test func aLoggerIsNotCalledForAnActionThatIsRejectedLater() {
        let store = store(logger, Asked(log: Recorder()), effectLimit: 1)
        store.dispatch(.start(1))
        #expect(store.dispatch(.start(2)).outcome == .rejected(.tooManyEffects, index: 0))
        #expect(store.dispatch(batch: [.add(1), .start(2)]).outcome == .rejected(.tooManyEffects, index: 1))
        #expect(log.values == ["1 [] [] ends"])
        store.dispatch(batch: [.add(1), .add(2)])
        #expect(log.values == ["1 [] [] ends", "2 [] [1] goes on", "3 [1] [1, 2] ends"])
    }

    @Test func aPartHasItsOwnPreviousState() {
        let lines = log
        let chick = CommitLogger<Chick, ChickAction>(previousState: true) { commit in
            lines.record("\(commit.previousState?.ticks ?? -1) \(commit.state.ticks)")
        }
        let store = Store(
            Bird(), reducer: Scope(\.chick, .chick, IfPresent(ChickReducer().with(chick))),
            environment: scheduler.environment())
        store.dispatch(.chick(.tick))
        #expect(lines.values == [])
        var bird = Bird()
        bird.chick = Chick(id: 1)
        let other = Store(bird, reducer: Scope(\.chick, .chick, IfPresent(ChickReducer().with(chick))))
        other.dispatch(.chick(.tick))
        other.dispatch(.chick(.tick))
        #expect(lines.values == ["0 1", "1 2"])
    }

    @Test func anAsyncStoreAsksTheSameWay() async {
        let store = AsyncStore(
            Tally(), reducer: Asynchronous(TallyReducer()),
            middleware: [Asked(log: log, readsPreviousState: true), logger],
            environment: StoreEnvironment(effectLimit: 0))
        await store.dispatch(.add(1))
        await store.dispatch(.add(2))
        #expect(log.values == ["1 [] [1] ends", "1 [] [1] ends", "2 [1] [1, 2] ends", "2 [1] [1, 2] ends"])
    }
}

private func line(_ commit: borrowing Commit<Tally, TallyAction>) -> String {
    let previous = commit.previousState.map { "\($0.values)" } ?? "nil"
    return "\(commit.revision) \(previous) \(commit.state.values) \(commit.endsBatch ? "ends" : "goes on")"
}
