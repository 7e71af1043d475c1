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
    let result = Promise<Bool>()
    let timer = Task {
        try? await Task.sleep(until: deadline, clock: .continuous)
        result.fulfill(false)
    }
    Task {
        await body()
        result.fulfill(true)
        timer.cancel()
    }
    return await result.value()
}
