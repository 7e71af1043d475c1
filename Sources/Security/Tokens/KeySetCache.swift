/// Decides when a key set is fetched. Times are milliseconds of a clock that nobody sets.
package struct KeySetCache: Sendable {
    /// The next step for a token whose key is not in the set.
    package enum Decision: Sendable, Equatable {
        /// Look again at once: the set is newer than the one that was searched.
        case retry
        /// Fetch the set, and look again then.
        case fetch
        /// A fetch is under way; look again when it has ended.
        case wait
        /// The set was fetched a short time ago.
        case refuse
    }

    /// Fetches for unknown keys are that far apart: anybody can make up a key's name.
    private static let interval = 30_000
    /// As long as there is no set, nobody can be let in, so the next attempt comes sooner.
    private static let intervalWithoutSet = 1000
    /// A set is replaced after that time, so that a key that the service has withdrawn is forgotten.
    private static let lifetime = 600_000

    package private(set) var set: KeySet?
    /// How many sets were fetched so far.
    package private(set) var version = 0
    private var isFetching = false
    private var fetchedAt = 0
    /// When the next fetch may begin; nil for at once.
    private var nextFetch: Int?

    package init() {}

    /// A token names a key that the set does not have.
    ///
    /// - Parameter searched: the version of the set that was searched.
    package mutating func missed(in searched: Int, now: Int) -> Decision {
        if searched != version { return .retry }
        if isFetching { return .wait }
        if let nextFetch, now < nextFetch { return .refuse }
        begin(now)
        return .fetch
    }

    /// The set is used.
    ///
    /// - Returns: whether to fetch it again in the background.
    package mutating func used(now: Int) -> Bool {
        guard set != nil, !isFetching, now - fetchedAt >= Self.lifetime, nextFetch.map({ now >= $0 }) ?? true else {
            return false
        }
        begin(now)
        return true
    }

    private mutating func begin(_ now: Int) {
        isFetching = true
        nextFetch = now + (set == nil ? Self.intervalWithoutSet : Self.interval)
    }

    /// A fetch has ended. Without a new set, the old one stays.
    package mutating func fetched(_ new: KeySet?, now: Int) {
        isFetching = false
        guard let new else { return }
        // After the first fetch, the next one may come at once: a key may have been added in the meantime.
        if set == nil { nextFetch = nil }
        set = new
        version += 1
        fetchedAt = now
    }
}
