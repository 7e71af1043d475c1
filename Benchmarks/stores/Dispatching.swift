import Stores
import Synchronization

/// A store of ten slices.
func makeStore(middleware: [any Middleware<TenState, TenAction>] = []) -> Store<TenState, TenAction> {
    Store(TenState(), reducer: TenSlices.all, middleware: middleware)
}

/// Counts up. Each dispatch makes its own action, as a client does.
func increment(_ store: Store<TenState, TenAction>, times: Int) {
    for _ in 0..<times { store.dispatch(.e(.increment(by: 1))) }
}

/// Measures a dispatch without observers and middleware.
func measureDispatch(_ stopwatch: Stopwatch) -> Numbers {
    let store = makeStore()
    let nanoseconds = stopwatch.nanoseconds { increment(store, times: $0) }
    let allocations = Stopwatch.allocations { increment(store, times: $0) }
    check(store)
    return ["nanoseconds": nanoseconds, "allocations": allocations]
}

/// Measures a dispatch with three middlewares that read the commit and a subscriber that reads the count.
func measureMiddleware(_ stopwatch: Stopwatch) -> Numbers {
    let seen = (0..<3).map { _ in Note() }
    let read = Note()
    let store = makeStore(
        middleware: seen.map { note in
            MiddlewareFunction { commit in
                note.write(commit.revision)
                return .none
            }
        })
    let subscription = store.subscribe { read.write($0.state.e.count) }
    let nanoseconds = stopwatch.nanoseconds { increment(store, times: $0) }
    let allocations = Stopwatch.allocations { increment(store, times: $0) }
    subscription.cancel()
    check(store)
    precondition((seen + [read]).allSatisfy { $0.value == store.revision }, "somebody did not see every commit")
    return ["nanoseconds": nanoseconds, "allocations": allocations]
}

/// Checks that every dispatch made a revision.
func check(_ store: Store<TenState, TenAction>) {
    precondition(store.state.e.count == store.revision, "a dispatch was lost")
}

/// Stores the last value of an observer, so that the compiler cannot remove the read.
final class Note: Sendable {
    private let latest = Atomic(0)

    var value: Int { latest.load(ordering: .relaxed) }
    func write(_ value: Int) { latest.store(value, ordering: .relaxed) }
}
