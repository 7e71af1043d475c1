import Dispatch
import Locks
import StoreHosting

/// The remote calls that are under way as the server drains: it waits for them, because their results shall be committed.
///
/// The actions that a result leads to may begin further calls, and so may timers that fire meanwhile. These are awaited too.
/// Among several nodes, a session without calls is given back at once, and any other when its calls have ended.
package final class DrainingCalls: Sendable {
    /// The time between two looks at the sessions that call.
    private static let interval = Duration.milliseconds(10)

    private let registry: SessionRegistry
    private let deadline: ContinuousClock.Instant
    private let giveBack: @Sendable (Session) -> Bool
    // A session that runs an action without end keeps its lock. Only this thread may wait for it, none of Swift's.
    private let queue = DispatchQueue(label: "sessions.calls")

    /// - Parameters:
    ///   - deadline: when the calls that are left are given up.
    ///   - giveBack: takes a session out of the registry, so that another node can have it, unless it is in use.
    package init(
        of registry: SessionRegistry, until deadline: ContinuousClock.Instant,
        giveBack: @escaping @Sendable (Session) -> Bool
    ) {
        self.giveBack = giveBack
        self.registry = registry
        self.deadline = deadline
    }

    /// Waits until no session has a call under way, or until the deadline.
    ///
    /// - Returns: how many sessions still call.
    package func ended() async -> Int {
        var left = await calling(among: nil, after: .zero)
        while !left.isEmpty, case let now = ContinuousClock.now, now < deadline {
            left = await calling(among: left, after: min(Self.interval, deadline - now) + .milliseconds(1))
        }
        return left.count
    }

    /// - Parameter known: the sessions that are left of the last look; nil to look at all.
    private func calling(among known: [Session]?, after delay: Duration) async -> [Session] {
        await Promise.value { done in
            queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay / .milliseconds(1)))) { [self] in
                let now = ContinuousClock.now
                var left = calling(among: known ?? registry.residents, at: now)
                // A timer, or a request that was in progress, may have begun a call in another session.
                if known != nil, left.isEmpty { left = calling(among: registry.residents, at: now) }
                done(left)
            }
        }
    }

    private func calling(among sessions: [Session], at now: ContinuousClock.Instant) -> [Session] {
        let calling = Set(sessions.filter { $0.store.hasAwaitedEffects(at: now) })
        guard registry.isShared, !calling.isEmpty else { return Array(calling) }
        for session in sessions where !calling.contains(session) && giveBack(session) {
            // A session that is not given back now is when the journal closes.
            if let journal = session.journal { beginTask { try? await journal.release() } }
        }
        return Array(calling)
    }
}
