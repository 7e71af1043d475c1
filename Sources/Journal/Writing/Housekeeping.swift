/// Which sessions have commits that may go, and when to look again.
final class Housekeeping {
    let keepCommits: Int
    let keepDays: Int
    /// Sessions, by their numbers, that have more commits than they need.
    private var crowded: Set<Int> = []

    init(keepCommits: Int, keepDays: Int) {
        self.keepCommits = max(1, keepCommits)
        self.keepDays = keepDays
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
        return revision + max(64, keepCommits / 2)
    }

    /// One of the sessions that are to be looked at.
    func next() -> Int? { crowded.first }

    func isDone(_ number: Int) { crowded.remove(number) }
}
