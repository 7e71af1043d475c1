/// Decides what can be deleted, and when to check for it.
final class RetentionPolicy {
    private static let day = 86_400_000
    /// How long idempotency records are kept, in milliseconds: longer than promised to clients.
    static let idempotencyTTL = 900_000
    /// How long ended sessions are remembered, in milliseconds: longer than promised to clients.
    static let tombstoneTTL = 3_900_000
    private static let purgeInterval = 10_000
    private static let sweepInterval = 3_600_000

    let keepCommits: Int
    let keepDays: Int
    let now: @Sendable () -> Int
    /// The numbers of sessions that may have commits to delete.
    private var compactionCandidates: Set<Int> = []
    /// The sessions with commits that idempotency records show, and until when.
    private var pinned: [Int: Int] = [:]
    private var nextPurge = 0
    /// The number of the last session that the sweep for expired commits has checked.
    var sweepPosition = 0
    private var nextSweep = 0

    init(keepCommits: Int, keepDays: Int, now: @escaping @Sendable () -> Int) {
        self.keepCommits = max(1, keepCommits)
        self.keepDays = keepDays
        self.now = now
    }

    /// The revision at which to check a session for the first time whose oldest commit follows the revision `oldest`.
    static func firstCompactionCheck(after oldest: Int, _ keepCommits: Int) -> Int {
        let (distance, isTooFar) = keepCommits.multipliedReportingOverflow(by: 2)
        let (sum, isTooLarge) = oldest.addingReportingOverflow(distance)
        return isTooFar || isTooLarge ? .max : sum
    }

    /// Schedules a session for compaction.
    ///
    /// - Returns: the revision at which to schedule it again.
    func scheduleCompaction(of number: Int, at revision: Int) -> Int {
        compactionCandidates.insert(number)
        return Self.firstCompactionCheck(after: revision, max(32, keepCommits / 4))
    }

    func scheduleCompaction(of number: Int) { compactionCandidates.insert(number) }

    /// A session that is scheduled for compaction; nil if there is none.
    var next: Int? { compactionCandidates.first }

    /// - Parameter moment: when to try again, if idempotency records show revisions that could not be deleted.
    func finishCompaction(of number: Int, pinnedUntil moment: Int?) {
        compactionCandidates.remove(number)
        pinned[number] = moment
    }

    /// Whether a purge is due. True once per interval.
    func isPurgeDue() -> Bool {
        let now = now()
        guard now >= nextPurge else { return false }
        nextPurge = now + Self.purgeInterval
        for (number, moment) in pinned where moment < now {
            pinned[number] = nil
            compactionCandidates.insert(number)
        }
        return true
    }

    /// Commits from before this time are expired; nil if a sweep is not due, or if commits do not expire.
    var sweepLimit: Int? {
        keepDays > 0 && now() >= nextSweep ? now() - keepDays * Self.day : nil
    }

    /// Records that all sessions have been checked.
    func finishSweep() {
        sweepPosition = 0
        nextSweep = now() + Self.sweepInterval
    }

    /// Commits from before this time are expired; nil if commits do not expire.
    var ageLimit: Int? { keepDays > 0 ? now() - keepDays * Self.day : nil }
}
