import Locks

/// The commits in the table `unsorted`: those that are durable, but not sorted into the table `segments` yet.
///
/// A transaction appends all its commits to the end of that one table, so it dirties few pages, whatever its sessions are. The
/// writer sorts many commits at a time, session by session. Until then readers find them here.
final class UnsortedCommits: Sendable {
    /// The commits of one session, whose revisions follow one another.
    struct Rows: Sendable {
        /// The revision of the oldest.
        private(set) var first: Int
        // The bytes are those of a batch, which its commits share.
        private var places: [(bytes: [UInt8], position: Int)]

        fileprivate init(_ bytes: [UInt8], _ position: Int, revision: Int) {
            first = revision
            places = [(bytes, position)]
        }

        /// The revision of the newest.
        var newest: Int { first + places.count - 1 }

        /// The commit of a revision; nil if it is not among them.
        func row(at revision: Int) -> CommitRow? { withCommit(at: revision) { CommitRow($0.fields) } }

        /// Calls `body` with the commit of a revision.
        ///
        /// - Returns: what `body` returns; nil if the commit is not among them.
        func withCommit<Result>(at revision: Int, _ body: (BatchedCommit) -> Result) -> Result? {
            guard revision >= first, revision <= newest else { return nil }
            let (bytes, position) = places[revision - first]
            return bytes.withUnsafeBytes { bytes in
                var reader = CommitBatchReader(bytes, at: position)
                return reader.next().map(body)
            }
        }

        /// Returns whether no revision is missing before the commit.
        fileprivate mutating func append(_ bytes: [UInt8], _ position: Int, revision: Int) -> Bool {
            if revision == newest &+ 1 { places.append((bytes, position)) }
            return revision <= newest
        }

        fileprivate mutating func removeFirst(_ count: Int) {
            places.removeFirst(count)
            first += count
        }
    }

    // Guards the commits by the numbers of the sessions. No other lock is taken while it is held.
    private let sessions = Locked<[Int: Rows]>([:])

    /// Adds the commits of the table.
    ///
    /// - Parameter body: called with the number and the bytes of each row.
    func read(_ connection: Connection, _ body: (Int, [UInt8]) -> Void = { _, _ in }) throws(SQLiteError) {
        var (sum, isWhole): (UInt64, Bool) = (0, true)
        try connection.prepare("SELECT number, commits FROM unsorted ORDER BY number").rows(
            { _ in },
            { row in
                let (number, bytes) = (row.integer(0), row.bytes(1))
                sum &+= CommitBatch.digest(bytes, number: number)
                isWhole = add(bytes) && isWhole
                body(number, bytes)
                return true
            })
        let recorded = try connection.integer("SELECT value FROM meta WHERE name = 'unsorted'") ?? 0
        guard isWhole, sum == UInt64(bitPattern: Int64(recorded)) else {
            throw SQLiteError(damage: "commits in the table unsorted are missing or damaged")
        }
    }

    /// Returns false if commits are missing or malformed.
    private func add(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { content in
            var reader = CommitBatchReader(content)
            while !reader.isAtEnd {
                let position = reader.position
                guard let commit = reader.next() else { return false }
                guard add([(commit.session, commit.revision, position)], of: bytes) else { return false }
            }
            return true
        }
    }

    subscript(session: Int) -> Rows? { sessions.withLock { $0[session] } }

    /// The revision of the newest of a session's commits; nil if all of them are sorted.
    func newest(of session: Int) -> Int? { sessions.withLock { $0[session]?.newest } }

    var isEmpty: Bool { sessions.withLock(\.isEmpty) }

    var all: [Int: Rows] { sessions.withLock(\.self) }

    /// Adds the commits of a batch. Those that are there already are left out.
    ///
    /// - Returns: whether each follows the one before it.
    @discardableResult
    func add(_ commits: [(session: Int, revision: Int, position: Int)], of bytes: [UInt8]) -> Bool {
        sessions.withLock { sessions in
            var isWhole = true
            for (session, revision, position) in commits {
                if let isNext = sessions[session]?.append(bytes, position, revision: revision) {
                    isWhole = isNext && isWhole
                } else {
                    sessions[session] = Rows(bytes, position, revision: revision)
                }
            }
            return isWhole
        }
    }

    /// The commits of a session are sorted up to a revision.
    func remove(_ session: Int, through revision: Int) {
        sessions.withLock { sessions in
            guard let rows = sessions[session], revision >= rows.first else { return }
            if revision >= rows.newest {
                sessions[session] = nil
            } else {
                sessions[session]?.removeFirst(revision - rows.first + 1)
            }
        }
    }
}
