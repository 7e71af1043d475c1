import Locks

/// A rate limit as a token bucket: it holds at most `burst` tokens, and gets `rate` new ones a second.
///
/// This is the limit alone. The state of one bucket is the time at which it is full again, in nanoseconds of any
/// clock; a bucket that was never used is full.
package struct TokenBucket: Sendable, Hashable {
    /// The tokens a second that there can be.
    package static let rates = 0.001...1_000_000.0
    package static let bursts = 1...1_000_000

    /// The nanoseconds in which one token is made.
    private let interval: Int64
    private let burst: Int64

    /// - Parameters:
    ///   - rate: tokens a second, clamped to ``rates``.
    ///   - burst: clamped to ``bursts``; nil for the tokens of a second.
    package init(rate: Double, burst: Int?) {
        let rate = min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
        interval = Int64((1e9 / rate).rounded(.up))
        self.burst = Int64(min(max(burst ?? Int(rate.rounded(.up)), Self.bursts.lowerBound), Self.bursts.upperBound))
    }

    package enum Decision: Sendable, Hashable {
        /// The tokens are taken.
        case admitted(fullAt: Int64)
        /// Nothing is taken. The same request is admitted after this time, unless others are before.
        case refused(nanoseconds: Int64)
    }

    /// Takes tokens if the bucket has enough.
    ///
    /// More than `burst` tokens are taken from a full bucket, and the debt is paid off before the next request: otherwise a
    /// large batch could never be admitted.
    package func take(_ count: Int, fullAt: Int64, now: Int64) -> Decision {
        let (count, fullAt) = (Int64(count), max(fullAt, now))
        let wait = fullAt - now + (min(count, burst) - burst) * interval
        return wait > 0 ? .refused(nanoseconds: wait) : .admitted(fullAt: fullAt + count * interval)
    }
}

/// The buckets of many clients, in a fixed amount of memory.
///
/// The table consists of sets of eight places, and the hash of a key selects its set. If the set has no free place, the
/// bucket that is full again first is dropped: a full bucket is as good as none, so this forgets least. No key is refused
/// because the table is full. A key cannot shed its own empty bucket by filling the table, unless all others in its set
/// are emptier. Hashes differ in each process, so nobody can choose keys of one set.
package struct BucketTable<Key: Hashable & Sendable>: Sendable {
    private struct Place {
        var key: Key?
        var fullAt: Int64 = 0
    }

    private static var setSize: Int { 8 }

    private let limit: TokenBucket
    private let setMask: Int
    private var places: [Place]

    /// - Parameter capacity: the largest number of keys, rounded up to 8 times a power of two.
    package init(_ limit: TokenBucket, capacity: Int = 65_536) {
        self.limit = limit
        var sets = 1
        while sets * Self.setSize < capacity { sets *= 2 }
        setMask = sets - 1
        places = Array(repeating: Place(), count: sets * Self.setSize)
    }

    /// Takes tokens from the bucket of a key.
    ///
    /// - Returns: nil if they were taken, else the nanoseconds after which they can be.
    package mutating func take(_ count: Int, from key: Key, now: Int64) -> Int64? {
        let start = (key.hashValue & setMask) * Self.setSize
        var place = start
        for index in start..<start + Self.setSize {
            if places[index].key == key {
                place = index
                break
            }
            if places[index].fullAt < places[place].fullAt { place = index }
        }
        let fullAt = places[place].key == key ? places[place].fullAt : now
        switch limit.take(count, fullAt: fullAt, now: now) {
        case .refused(let wait): return wait
        case .admitted(let fullAt):
            places[place] = Place(key: key, fullAt: fullAt)
            return nil
        }
    }

    /// How many keys have a bucket.
    package var count: Int { places.count { $0.key != nil } }
}

/// A rate limit for each of many clients or sessions, shared by all event loops.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    // Guards the buckets for the time of a few comparisons. No other lock is taken while it is held.
    private let table: Locked<BucketTable<Key>>
    private let clock: WallClock

    /// Nil for a limit that is off.
    package init?(_ limit: TokenBucket?, _ clock: WallClock) {
        guard let limit else { return nil }
        table = Locked(BucketTable(limit))
        self.clock = clock
    }

    /// Takes tokens, or refuses the request with the time after which it can be repeated.
    package func take(_ count: Int = 1, from key: Key, of rate: SessionFailure.Rate) throws(SessionFailure) {
        let now = Int64(clock.steady()) * 1_000_000
        guard let wait = table.withLock({ $0.take(count, from: key, now: now) }) else { return }
        let seconds = max(1, (wait + 999_999_999) / 1_000_000_000)
        throw .unavailable(.rate(rate, retryAfter: Int(seconds)))
    }
}

/// How often sessions may be created and actions dispatched; each limit is nil if it is off.
package struct RateLimits: Sendable {
    /// Whose rates a request counts for.
    package struct Client: Sendable, Hashable {
        /// The bits of its address.
        package let address: UInt128

        package init(address: UInt128) {
            self.address = address
        }
    }

    private let sessions: RateLimiter<Client>?
    private let actions: RateLimiter<SessionID>?

    package init(sessions: TokenBucket?, actions: TokenBucket?, clock: WallClock) {
        self.sessions = RateLimiter(sessions, clock)
        self.actions = RateLimiter(actions, clock)
    }

    /// Admits a new session or a fork.
    func admitCreation(of client: Client) throws(SessionFailure) { try sessions?.take(from: client, of: .sessions) }

    /// Whether the actions of a session are limited.
    var countActions: Bool { actions != nil }

    func admitActions(_ count: Int, to session: SessionID) throws(SessionFailure) {
        try actions?.take(count, from: session, of: .actions)
    }
}
