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
    private let currentLife = Atomic(0)
    /// When the lease ends, in milliseconds after the start.
    private let end = Atomic(0)

    /// The time that leases are counted in: milliseconds after the start, rounded up, so that no lease seems to last longer.
    var now: Int { (continuousTime() - startTime + 999_999) / 1_000_000 }

    /// The moment that is so many milliseconds after the start.
    func instant(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    /// The life that sessions can be claimed for; 0 if there is none.
    var life: Int { currentLife.load(ordering: .acquiring) }

    /// Whether sessions that were claimed for a life are still the process's own, as far as it knows.
    func isCurrent(_ life: Int) -> Bool { life == self.life }

    /// Whether to answer for sessions that were claimed for a life. Ask when the answer is made.
    func mayAnswer(_ life: Int) -> Bool {
        // The end first: that of another life is stored after that life.
        let end = end.load(ordering: .acquiring)
        return life == self.life && now < end
    }

    /// Whether sessions can be claimed and created now.
    var isMember: Bool {
        let life = life
        return life != 0 && mayAnswer(life)
    }

    func take(_ lease: NodeLease) {
        guard let life = lease.life, let end = lease.end else {
            self.end.store(0, ordering: .releasing)
            currentLife.store(0, ordering: .releasing)
            return
        }
        currentLife.store(life.number, ordering: .releasing)
        self.end.store(end, ordering: .releasing)
    }
}
