import Locks
import Stores
import StoresTesting
import Testing

/// Many threads at once, and the guarantees that hold whatever they do.
@Suite struct StressTests {
    /// The notifications of a watcher that saw every commit, from the first to the last.
    private struct Log: Sendable {
        var revisions: [Int] = []
        var added: [Int] = []
        /// Whether each notification came with the state that belongs to it.
        var isConsistent = true
    }

    private static let policies: [EffectPolicy] = [
        .parallel, .latest, .leading, .queued(limit: 3), .debounced(for: .milliseconds(1)),
        .throttled(every: .milliseconds(1)),
    ]

    private static func effect(_ number: Int) -> Effect<TallyAction> {
        let policy = policies[number % policies.count]
        let effect = Effect<TallyAction>.run(
            EffectID("work.\(number % policies.count)"), policy,
            emitting: { emitter in
                emitter.emit(.add(number))
                await Task.yield()
                return number % 5 == 0 ? nil : .add(-number)
            })
        return number % 7 == 0 ? effect.deadline(.milliseconds(1), else: .add(0)) : effect
    }

    private static let middleware = MiddlewareFunction<Tally, TallyAction> { commit in
        switch commit.action {
        case .start(let number): effect(number)
        case .add(let number) where number % 11 == 1: .dispatch(.add(number + 1))
        case .stop: .merge(.cancel("work.0"), .cancel("work.1"), .cancel("work.3"), .cancel("work.4"))
        case .add, .refuse, .skip: .none
        }
    }

    private static func action(_ generator: inout SeededGenerator) -> TallyAction {
        let number = Int.random(in: 1...1000, using: &generator)
        return switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4: .add(number)
        case 4..<8: .start(number)
        case 8: .stop
        default: number.isMultiple(of: 2) ? .skip : .refuse
        }
    }

    /// Sends the actions that the seed determines, one at a time and in batches, with subscribers that come and go.
    private static func play(_ seed: UInt64, in store: Store<Tally, TallyAction>) -> [Receipt] {
        var generator = SeededGenerator(seed: seed)
        var receipts: [Receipt] = []
        var subscriptions: [Subscription] = []
        for round in 0..<60 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: receipts.append(store.dispatch(batch: (0..<3).map { _ in action(&generator) }))
            case 1: subscriptions.append(store.observe { _ in })
            case 2: subscriptions.removeAll()
            default: receipts.append(store.dispatch(action(&generator)))
            }
            if round.isMultiple(of: 10) { _ = store.state.values.count }
        }
        return receipts
    }

    @Test(.timeLimit(.minutes(5)), arguments: [1, 2, 3] as [UInt64])
    func concurrentCommitsAreNotifiedOnceInOrderAndAllSettle(_ seed: UInt64) async {
        let log = Locked(Log())
        let store = Store(
            Tally(), reducer: TallyReducer(), middleware: [Self.middleware],
            environment: StoreEnvironment(effectLimit: 24))
        let watcher = store.subscribe { commit in
            let (revision, count) = (commit.revision, commit.state.values.count)
            let action = commit.action
            log.withLock { log in
                log.revisions.append(revision)
                if case .add(let number) = action { log.added.append(number) }
                log.isConsistent = log.isConsistent && log.added.count == count
            }
        }
        let receipts = await withTaskGroup(of: [Receipt].self) { group in
            for thread in 0..<8 { group.addTask { Self.play(seed * 100 + UInt64(thread), in: store) } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        for receipt in receipts { await receipt.settled() }
        let seen = log.withLock { $0 }
        #expect(seen.revisions == Array(1...store.revision))
        #expect(seen.added == store.state.values)
        #expect(seen.isConsistent)
        // Nothing runs any more: where one effect did, the limit would refuse the last of as many as it allows.
        let all = store.dispatch(batch: (0..<24).map { .start($0 * 6) })
        #expect(all.outcome == .committed)
        await all.settled()
        withExtendedLifetime(watcher) {}
    }

    @Test(.timeLimit(.minutes(5))) func endingAStoreInUseResumesAllWaiters() async {
        for round in 0..<8 as Range<UInt64> {
            let store = Store(
                Tally(), reducer: TallyReducer(), middleware: [Self.middleware],
                environment: StoreEnvironment(effectLimit: 24))
            let receipts = await withTaskGroup(of: [Receipt].self) { group in
                for thread in 0..<4 as Range<UInt64> { group.addTask { Self.play(round * 10 + thread, in: store) } }
                group.addTask {
                    for _ in 0..<round { await Task.yield() }
                    store.end()
                    return []
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            for receipt in receipts { await receipt.settled() }
            let revision = store.revision
            #expect(store.dispatch(.add(1)).outcome == .ended)
            #expect(store.revision == revision)
        }
    }

    @Test(.timeLimit(.minutes(5))) func anAsyncStoreNotifiesOfEachCommitOnceInOrderAndAllSettle() async {
        let log = Locked(Log())
        let store = AsyncStore(
            Tally(), reducer: Asynchronous(TallyReducer()), middleware: [Self.middleware],
            environment: StoreEnvironment(effectLimit: 24))
        let watcher = store.subscribe { commit in
            let (revision, action) = (commit.revision, commit.action)
            log.withLock { log in
                log.revisions.append(revision)
                if case .add(let number) = action { log.added.append(number) }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 as Range<UInt64> {
                group.addTask {
                    var generator = SeededGenerator(seed: thread)
                    var receipts: [Receipt] = []
                    for _ in 0..<100 { receipts.append(await store.dispatch(Self.action(&generator))) }
                    for receipt in receipts { await receipt.settled() }
                }
            }
        }
        let seen = log.withLock { $0 }
        #expect(seen.revisions == Array(1...store.revision))
        #expect(seen.added == store.state.values)
        withExtendedLifetime(watcher) {}
    }
}
