import Stores
import Threads

/// Limits how many signals an actor sends to a session.
package final class SignalLimit: Sendable {
    private let bucket: TokenBucket?
    private let clock: WallClock
    /// Made with the first signal.
    private let madeLimiter = LazyReference<RateLimiter<Sender>>()

    /// Stands for an actor and a session, so that an id of any length takes the same memory. Hashes differ in each process, so nobody
    /// can look for two senders with one.
    private struct Sender: Hashable, Sendable {
        let hash: Int
    }

    /// - Parameter bucket: nil for no limit.
    package init(_ bucket: TokenBucket?, _ clock: WallClock) { (self.bucket, self.clock) = (bucket, clock) }

    private var limiter: RateLimiter<Sender>? {
        if let known = madeLimiter.load() { return known }
        guard let new = RateLimiter<Sender>(bucket, clock) else { return nil }
        return madeLimiter.storeIfNil(new)
    }

    /// Admits a signal.
    func admit(_ actor: Actor, to session: SessionID) throws(SessionFailure) {
        guard let limiter else { return }
        var hasher = Hasher()
        hasher.combine(session)
        hasher.combine(actor.key)
        try limiter.take(from: Sender(hash: hasher.finalize()), of: .signals)
    }
}
