import Dispatch
import Locks
import StoreHosting

/// The remote calls that are under way as the server drains: it waits for them, because their results shall be committed.
///
/// The actions that a result leads to may begin further calls, and so may timers that fire meanwhile. These are awaited too.
/// Among several nodes, a session without calls is given back at once, and any other when its calls have ended.
final class DrainingCalls: Sendable {
    /// The time between two looks at the sessions that call.
    private static let interval = Duration.milliseconds(10)

    private let registry: SessionRegistry
    private let deadline: ContinuousClock.Instant
    // A session that runs an action without end keeps its lock. Only this thread may wait for it, none of Swift's.
    private let queue = DispatchQueue(label: "sessions.calls")

    /// - Parameter deadline: when the calls that are left are given up.
    init(of registry: SessionRegistry, until deadline: ContinuousClock.Instant) {
        self.registry = registry
        self.deadline = deadline
    }

    /// Waits until no session has a call under way, or until the deadline.
    ///
    /// - Returns: how many sessions still call.
    func ended() async -> Int {
        await Promise.value { done in
            queue.async { [self] in look(at: nil, done) }
        }
    }

    /// - Parameter known: the sessions that are left of the last look; nil to look at all.
    private func look(at known: [Session]?, _ done: @escaping @Sendable (Int) -> Void) {
        let now = ContinuousClock.now
        var left = calling(among: known ?? registry.residents, at: now)
        // A timer, or a request that was in progress, may have begun a call in another session.
        if known != nil, left.isEmpty { left = calling(among: registry.residents, at: now) }
        guard !left.isEmpty, now < deadline else { return done(left.count) }
        let delay = min(Self.interval, deadline - now) / .milliseconds(1)
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay) + 1)) { [self, left] in look(at: left, done) }
    }

    private func calling(among sessions: [Session], at now: ContinuousClock.Instant) -> [Session] {
        let calling = Set(sessions.filter { $0.store.hasAwaitedEffects(at: now) })
        guard registry.isShared, !calling.isEmpty else { return Array(calling) }
        for session in sessions where !calling.contains(session) && registry.handOver(session, to: nil) {
            // A session that is not given back now is when the journal closes.
            session.journal?.release { _ in }
        }
        return Array(calling)
    }
}
