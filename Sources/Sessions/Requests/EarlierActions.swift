package import StoreHosting

/// Fills a page of the action log that is newest first. The journal is read in portions that are oldest first.
///
/// Revisions follow each other without a gap, so each portion is known before it is read. A journal that returns less than was
/// asked for has long commits: then the portion is made shorter, so that few of them are in memory.
package struct EarlierActions: Sendable {
    package private(set) var page: ActionLogPage
    /// All commits up to here were deleted by retention; 0 if none is known to be.
    private var deletedThrough = 0
    /// The newest revision that the page has not looked at.
    private var newest: Int
    private var count: Int

    /// - Parameters:
    ///   - page: an empty page.
    ///   - newest: the newest revision of the session.
    package init(_ page: ActionLogPage, newest: Int) {
        self.page = page
        count = page.nextCount
        self.newest = min(page.lastRevision - 1, newest)
    }

    /// The revision behind which to read, and how many commits; nil if the page is complete.
    package var portion: (after: Int, count: Int)? {
        guard newest > deletedThrough, !page.hasMore, !page.isGone else { return nil }
        let after = max(deletedThrough, newest - count)
        return (after, newest - after)
    }

    /// Takes what was read of ``portion``, which is not nil.
    ///
    /// - Returns: false if the commits are not there although they should be.
    package mutating func append(_ commits: [CommitRecord]) -> Bool {
        guard let portion else { return true }
        guard commits.count >= portion.count else {
            // The oldest of the portion are of no use without the newest.
            count = max(1, min(commits.count, portion.count / 2))
            return !commits.isEmpty
        }
        for commit in commits.reversed() where !page.add(commit) { return true }
        newest = portion.after
        count = min(2 * portion.count, page.nextCount)
        return true
    }

    /// Retention has deleted a commit of the portion. The page ends with the oldest one that is there: nothing can follow.
    package mutating func wereCut(oldest: Int) {
        deletedThrough = max(deletedThrough + 1, oldest - 1)
        if newest <= deletedThrough, page.isUntouched { page.wasCut() }
    }
}
