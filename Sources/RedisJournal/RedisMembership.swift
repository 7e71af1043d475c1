import Cluster
import Platform
import StoreHosting
import Synchronization

/// Whether a process may answer for its sessions: what its connection has learned from Redis, for all threads.
///
/// It may as long as its lease holds, by the monotonic clock.
final class RedisMembership: Sendable {
    private let start = ContinuousClock.now
    private let startTime = continuousTime()
    private let currentIncarnation = Atomic(0)
    /// When the lease ends, in milliseconds after the start.
    private let end = Atomic(0)

    /// The time that leases are counted in: milliseconds after the start, rounded up, so that no lease seems to last longer.
    var now: Int { (continuousTime() - startTime + 999_999) / 1_000_000 }

    /// The moment that is so many milliseconds after the start.
    func instant(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    /// The incarnation that sessions can be claimed for; 0 if there is none.
    var incarnation: Int { currentIncarnation.load(ordering: .acquiring) }

    /// Whether sessions that were claimed for an incarnation are still the process's own, as far as it knows.
    func isCurrent(_ incarnation: Int) -> Bool { incarnation == self.incarnation }

    /// Whether to answer for sessions that were claimed for an incarnation. Ask when the answer is made.
    func mayAnswer(_ incarnation: Int) -> Bool {
        // The end first: that of another incarnation is stored after that incarnation.
        let end = end.load(ordering: .acquiring)
        return incarnation == self.incarnation && now < end
    }

    /// Whether sessions can be claimed and created now.
    var isMember: Bool {
        let incarnation = incarnation
        return incarnation != 0 && mayAnswer(incarnation)
    }

    func take(_ lease: NodeLease) {
        guard let incarnation = lease.incarnation, let end = lease.end else {
            self.end.store(0, ordering: .releasing)
            currentIncarnation.store(0, ordering: .releasing)
            return
        }
        currentIncarnation.store(incarnation.number, ordering: .releasing)
        self.end.store(end, ordering: .releasing)
    }
}
