import Locks

/// When each step of a drain must have ended, so that all of them together keep `http.drainTimeout`.
///
/// A step that ends early leaves its time to the next. Connections are cut before their step's deadline; the rest of the
/// time is for closing the journal, most of it, and for stopping what has no work left.
struct DrainDeadlines: Sendable {
    let connections: ContinuousClock.Instant
    let journal: ContinuousClock.Instant
    let upstreams: ContinuousClock.Instant
    let loops: ContinuousClock.Instant

    init(_ http: Configuration.Http, from start: ContinuousClock.Instant = .now) {
        let cut = start + http.cutAfter
        let rest = http.drainTimeout - http.cutAfter
        connections = cut + rest * 0.2
        journal = cut + rest * 0.7
        upstreams = cut + rest * 0.8
        loops = cut + rest * 0.9
    }
}

/// Waits for `body` until a deadline.
///
/// - Returns: false if `body` has not ended by then. It goes on by itself, because work that is stuck cannot be cancelled.
func finishes(by deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () async -> Void) async -> Bool {
    let result = FirstResult()
    let timer = Task {
        try? await Task.sleep(until: deadline, clock: .continuous)
        result.resume(false)
    }
    Task {
        await body()
        result.resume(true)
        timer.cancel()
    }
    return await result.value()
}

/// The first of several results. Later ones are dropped.
private final class FirstResult: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Bool, Never>)
        case resumed(Bool)
    }

    private let state = Locked(State.empty)

    func resume(_ value: Bool) {
        let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
            let last = state
            if case .resumed = last { return nil }
            state = .resumed(value)
            return if case .awaited(let continuation) = last { continuation } else { nil }
        }
        waiting?.resume(returning: value)
    }

    func value() async -> Bool {
        await withCheckedContinuation { continuation in
            let known: Bool? = state.withLock { state in
                if case .resumed(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
