import JSON
package import StoreHosting

/// One page of the action log on its way from the journal.
package struct ActionLogPage: Sendable {
    /// A page ends before the commit with which its JSON would be longer, unless that is its first.
    package static let maxBytes = 1 << 20

    /// A page that leaves actions out ends after it has looked at so many commits, or at ``maxBytes`` of them.
    package static let maxExamined = 10_000

    /// The length of the JSON around the commits, at most.
    private static let frameBytes = 64

    private static let portion = 101
    /// Most commits of a page that leaves actions out may be none of those that it shows.
    private static let filteredPortion = 512

    package let query: ActionLogQuery
    private let hasOwner: Bool
    /// The revision of the last commit that it may show.
    private let end: Int
    private var actions: [[UInt8]] = []
    /// The length of the JSON, at most.
    private var byteCount = frameBytes
    /// The commits that it has looked at, and about how many bytes they have.
    private var examined = (count: 0, bytes: 0)
    /// The revision behind which the next portion begins, or below which it ends.
    package private(set) var lastRevision: Int
    /// The revision that was shown last; that of the start before the first.
    private var lastShown: Int
    /// Whether a commit follows behind the page.
    package private(set) var hasMore = false
    /// Whether the page is full of actions, and not of commits that it has looked at.
    private var isFull = false
    /// Whether retention has deleted the first commit.
    package private(set) var isGone = false

    /// - Parameters:
    ///   - hasOwner: whether the session has an owner.
    ///   - end: the revision of the last commit that it may show.
    package init(_ query: ActionLogQuery, hasOwner: Bool = false, upTo end: Int = .max) {
        self.end = end
        self.query = query
        self.hasOwner = hasOwner
        lastRevision =
            switch query.start {
            case .after(let revision): revision
            case .before(let revision): revision
            }
        lastShown = lastRevision
    }

    /// How many commits to read: one more than the page shows, to know whether another page follows.
    package var nextCount: Int {
        query.isFiltered ? Self.filteredPortion : min(query.limit - actions.count + 1, Self.portion)
    }

    /// Takes the next portion of a page that begins behind a revision.
    ///
    /// - Parameter commits: what was read; nil if the first one was deleted by retention, empty behind the last one.
    /// - Returns: whether another portion is needed.
    package mutating func append(_ commits: [CommitRecord]?) -> Bool {
        guard let commits else {
            wasCut()
            return false
        }
        for commit in commits {
            guard commit.revision <= end, add(commit) else { return false }
        }
        return !commits.isEmpty
    }

    /// Retention has deleted the next commit. It may also overtake the reader of several portions: the page ends, and the next one is
    /// gone.
    mutating func wasCut() { (isGone, hasMore) = (isUntouched, !isUntouched) }

    /// Whether it has looked at no commit yet.
    var isUntouched: Bool { examined.count == 0 }

    /// Adds the next commit, unless the page is complete without it.
    ///
    /// - Returns: whether the page has looked at it.
    mutating func add(_ commit: CommitRecord) -> Bool {
        if query.isFiltered {
            guard examined.count < Self.maxExamined, examined.bytes < Self.maxBytes else { return complete() }
            guard query.matches(commit) else {
                look(at: commit)
                return true
            }
        }
        let isOver = actions.count == query.limit
        let action = isOver ? nil : LoggedAction(commit, hasOwner: hasOwner, showsChanges: query.showsChanges).encoded()
        guard let action, actions.isEmpty || byteCount + action.count < Self.maxBytes else {
            isFull = true
            return complete()
        }
        actions.append(action)
        byteCount += action.count + 1
        look(at: commit)
        lastShown = commit.revision
        return true
    }

    private mutating func complete() -> Bool {
        hasMore = true
        return false
    }

    private mutating func look(at commit: CommitRecord) {
        lastRevision = commit.revision
        examined.count += 1
        if query.isFiltered { examined.bytes += commit.examinedBytes }
    }

    /// At which revision the next page begins; nil if this is the last one.
    package var next: Int? { hasMore ? isFull ? lastShown : lastRevision : nil }

    package var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: byteCount)
        json.object { json in
            json.member(
                "actions",
                array: { json in
                    for action in actions { json.raw(action) }
                })
            json.member("next", next)
        }
        return json.finishLine()
    }
}

extension CommitRecord {
    /// About how many bytes were read for it.
    fileprivate var examinedBytes: Int {
        payload.byteCount + (privateState?.count ?? 0) + changes.operations.reduce(0) { $0 + $1.value.count }
    }
}
