/// How far long work on stored sessions is.
package struct StorageProgress: Sendable, Hashable {
    package enum Work: Sendable {
        /// Bytes of a database file.
        case checkingPages, copyingPages
        /// Sessions.
        case readingSessions
        /// Bytes of an exported session.
        case readingDocument
        /// Commits of an exported session.
        case checkingCommits, writingCommits
    }

    /// Whoever does the work calls it often, so it must cost little.
    package typealias Report = (StorageProgress) -> Void

    package let work: Work
    /// Nil if it is not known.
    package let done: Int?
    /// Nil if it is not known.
    package let total: Int?

    package init(_ work: Work, _ done: Int?, of total: Int?) {
        self.work = work
        self.done = done
        self.total = total
    }
}
