import StoreHosting

/// Commits of one session whose revisions follow one another, of which the oldest are dropped.
struct CommitSequence: Sendable {
    private(set) var commits: [CommitRecord] = []
    /// The revision of the newest commit, whether it is in memory or not.
    private(set) var lastRevision: Int

    init(after revision: Int) { lastRevision = revision }

    /// The revision of the oldest commit in memory.
    var firstRevision: Int? { commits.first?.revision }

    mutating func append(_ commit: CommitRecord) {
        commits.append(commit)
        lastRevision = commit.revision
    }

    mutating func removeFirst(_ count: Int) { commits.removeFirst(count) }

    /// Removes the commits after `revision`, which becomes the newest.
    mutating func removeAll(after revision: Int) {
        while let last = commits.last, last.revision > revision { commits.removeLast() }
        lastRevision = revision
    }

    /// The commits after `revision`, oldest first; nil if the first of them is not in memory.
    func commits(after revision: Int, limit: Int) -> [CommitRecord]? {
        guard revision < lastRevision else { return [] }
        guard let first = firstRevision, revision + 1 >= first else { return nil }
        return Array(commits.dropFirst(revision + 1 - first).prefix(max(0, limit)))
    }

    /// The newest private state among the commits up to `revision`; nil if none of them has changed it.
    func privateState(through revision: Int) -> [UInt8]? {
        commits.last { $0.revision <= revision && $0.privateState != nil }?.privateState
    }
}

extension CommitRecord {
    /// About how many bytes it takes in memory.
    var byteCount: Int { 192 + changes.byteCount + (privateState?.count ?? 0) }
}

extension EncodedPatch {
    /// About how many bytes it takes in memory.
    var byteCount: Int { operations.reduce(0) { $0 + $1.path.utf8.count + $1.value.count + 32 } }
}
