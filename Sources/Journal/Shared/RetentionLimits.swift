/// How much of a session's log is retained.
package final class RetentionLimits: Sendable {
    /// How many commits are retained at least, within the other limits.
    package let keepCommits: Int
    /// How many bytes the commits take at most.
    package let keepBytes: Int
    /// The age in days after which commits are deleted, however few there are; 0 for no limit.
    package let keepDays: Int

    package init(keepCommits: Int = 1000, keepBytes: Int = 64 << 20, keepDays: Int = 0) {
        self.keepCommits = max(1, keepCommits)
        self.keepBytes = max(1, keepBytes)
        self.keepDays = keepDays
    }

    /// The size to which a log is brought down that exceeds ``keepBytes``, so that not each commit deletes some.
    package var trimmedBytes: Int { keepBytes - keepBytes / 4 }

    /// The revision at which to check a session for the first time whose oldest commit follows the revision `oldest`.
    package func firstCompactionCheck(after oldest: Int) -> Int { Self.sum(oldest, keepCommits, keepCommits) }

    /// The revision at which to check a session again.
    package func nextCompactionCheck(after revision: Int) -> Int {
        let distance = max(32, keepCommits / 4)
        return Self.sum(revision, distance, distance)
    }

    private static func sum(_ numbers: Int...) -> Int {
        numbers.reduce(0) { sum, number in
            let (next, isTooLarge) = sum.addingReportingOverflow(number)
            return isTooLarge ? .max : next
        }
    }
}
