/// Decides what can be deleted, and when to check for it.
package final class RetentionPolicy {
    private static let day = 86_400_000
    /// How long idempotency records are kept, in milliseconds: longer than promised to clients.
    package static let idempotencyTTL = 900_000
    /// How long ended sessions are remembered, in milliseconds: longer than promised to clients.
    package static let tombstoneTTL = 3_900_000
    private static let purgeInterval = 10_000
    private static let sweepInterval = 3_600_000

    let limits: RetentionLimits
    /// The session time, by which records and ended sessions are forgotten.
    let now: @Sendable () -> Int
    /// By which commits are deleted that are too old: they have dates, which clients are shown.
    private let date: @Sendable () -> Int
    /// The numbers of sessions that may have commits to delete, and whether their log was too large, and is brought down
    /// to ``RetentionLimits/trimmedBytes``.
    private var candidates: [Int: Bool] = [:]
    /// The sessions that are scheduled once their newest commits are sorted.
    private var unsorted: Set<Int> = []
    /// The sessions with commits that idempotency records show, and until when.
    private var pinned: [Int: Int] = [:]
    private var nextPurge = 0
    /// The number of the last session that the sweep for expired commits has checked.
    var sweepPosition = 0
    private var nextSweep = 0

    /// - Parameters:
    ///   - limits: how much is retained.
    ///   - now: the session time in milliseconds.
    ///   - date: milliseconds since 1970; nil for the session time.
    init(
        _ limits: RetentionLimits, now: @escaping @Sendable () -> Int, date: (@Sendable () -> Int)? = nil
    ) {
        self.limits = limits
        self.now = now
        self.date = date ?? now
    }

    /// Schedules a session for compaction after its commits are sorted, if it is time to check it.
    func scheduleCompaction(_ position: inout AppendPosition) {
        guard position.revision >= position.nextCompactionCheck || position.bytesUntilCompactionCheck <= 0 else {
            return
        }
        unsorted.insert(position.number)
        position.nextCompactionCheck = limits.nextCompactionCheck(after: position.revision)
        position.bytesUntilCompactionCheck = max(1, limits.keepBytes / 4)
    }

    /// The commits are sorted that were there some time ago.
    func finishSorting() {
        for number in unsorted { scheduleCompaction(of: number) }
        unsorted = []
    }

    func scheduleCompaction(of number: Int) { candidates[number] = candidates[number] ?? false }

    /// A session that is scheduled for compaction; nil if there is none.
    var next: (number: Int, isTrimming: Bool)? { candidates.first.map { ($0.key, $0.value) } }

    /// The log of a session exceeds its limit.
    func beginTrimming(_ number: Int) { candidates[number] = true }

    /// - Parameter moment: when to try again, if idempotency records show revisions that could not be deleted.
    func finishCompaction(of number: Int, pinnedUntil moment: Int? = nil) {
        candidates[number] = nil
        pinned[number] = moment
    }

    /// Whether a purge is due. True once per interval.
    func isPurgeDue() -> Bool {
        let now = now()
        guard now >= nextPurge else { return false }
        nextPurge = now + Self.purgeInterval
        for (number, moment) in pinned where moment < now {
            pinned[number] = nil
            scheduleCompaction(of: number)
        }
        return true
    }

    /// Commits from before this time are expired; nil if a sweep is not due, or if commits do not expire.
    var sweepLimit: Int? {
        limits.keepDays > 0 && now() >= nextSweep ? ageLimit : nil
    }

    /// Records that all sessions have been checked.
    func finishSweep() {
        sweepPosition = 0
        nextSweep = now() + Self.sweepInterval
    }

    /// Commits from before this time are expired; nil if commits do not expire.
    var ageLimit: Int? { limits.keepDays > 0 ? date() - limits.keepDays * Self.day : nil }
}
