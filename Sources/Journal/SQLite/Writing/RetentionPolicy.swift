/// What may go, and when to look for it.
final class RetentionPolicy {
    /// For how long answers and ended sessions are kept longer than is promised, and how often it is looked for older ones.
    private static let day = 86_400_000
    static let answersGo = 900_000
    static let endedGo = 3_900_000
    private static let lookEvery = 10_000
    private static let sweepEvery = 3_600_000

    let keepCommits: Int
    let keepDays: Int
    let now: @Sendable () -> Int
    /// Sessions, by their numbers, that may have commits that can go.
    private var crowded: Set<Int> = []
    private var nextLook = 0
    /// Up to which session it was looked for commits that are too old, and when that begins again.
    var swept = 0
    private var nextSweep = 0

    init(keepCommits: Int, keepDays: Int, now: @escaping @Sendable () -> Int) {
        self.keepCommits = max(1, keepCommits)
        self.keepDays = keepDays
        self.now = now
    }

    /// The revision at which to look first at a session whose oldest commit is behind that one.
    static func firstLook(after oldest: Int, _ keepCommits: Int) -> Int {
        let (look, isTooFar) = keepCommits.multipliedReportingOverflow(by: 2)
        let (sum, isTooMuch) = oldest.addingReportingOverflow(look)
        return isTooFar || isTooMuch ? .max : sum
    }

    /// Has a session looked at that is at that revision.
    ///
    /// - Returns: the revision at which to look again.
    func look(at number: Int, _ revision: Int) -> Int {
        crowded.insert(number)
        return Self.firstLook(after: revision, max(32, keepCommits / 4))
    }

    func look(at number: Int) { crowded.insert(number) }

    /// One of the sessions that are to be looked at.
    var next: Int? { crowded.first }

    func isDone(_ number: Int) { crowded.remove(number) }

    /// Whether it is time to look for what is too old; true once each time.
    func isTimeToLook() -> Bool {
        guard now() >= nextLook else { return false }
        nextLook = now() + Self.lookEvery
        return true
    }

    /// Commits from before that moment are too old; nil where none is, or it was looked for them lately.
    var oldestMoment: Int? {
        keepDays > 0 && now() >= nextSweep ? now() - keepDays * Self.day : nil
    }

    /// All sessions have been looked at.
    func hasSwept() {
        swept = 0
        nextSweep = now() + Self.sweepEvery
    }

    /// What stood there before is too old to be kept; nil where age does not matter.
    var ageLimit: Int? { keepDays > 0 ? now() - keepDays * Self.day : nil }
}
