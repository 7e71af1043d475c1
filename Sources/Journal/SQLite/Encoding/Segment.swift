import CSQLite
import JSON
import StoreHosting

/// A row of the table `segments`: commits of one session whose revisions follow one another.
struct Segment {
    let session: Int
    /// The revision of the oldest commit.
    private(set) var first = 0
    /// The revision of the newest commit.
    private(set) var last = 0
    /// When the oldest commit was made.
    private(set) var firstAt = 0
    /// When the newest commit was made.
    private(set) var lastAt = 0
    /// The size of the commits, as `storage.keepBytes` counts it.
    private(set) var byteCount = 0
    private(set) var batch = CommitBatch()

    init(of session: Int) { self.session = session }

    var isEmpty: Bool { last == 0 }

    /// Whether the next commit should go to another segment. A read of one commit decodes the whole segment.
    var isFull: Bool { byteCount > 128 << 10 }

    mutating func append(_ commit: BatchedCommit) {
        batch.append(commit)
        add(commit.revision, commit.committedAt, commit.byteCount)
    }

    mutating func append(_ commit: CommitRow) {
        _ = batch.append(commit, of: session)
        add(commit.revision, commit.committedAt, commit.byteCount)
    }

    private mutating func add(_ revision: Int, _ time: Int, _ bytes: Int) {
        if isEmpty { (first, firstAt) = (revision, time) }
        (last, lastAt) = (revision, time)
        byteCount += bytes
    }

    /// Calls `body` with the commits in the bytes of a row, until it returns false.
    ///
    /// - Returns: whether they were well-formed commits of that session.
    static func forEachCommit(
        in bytes: UnsafeRawBufferPointer, of session: Int, _ body: (BatchedCommit) -> Bool
    ) -> Bool {
        var reader = CommitBatchReader(bytes)
        while !reader.isAtEnd {
            guard let commit = reader.next(), commit.session == session else { return false }
            guard body(commit) else { return true }
        }
        return true
    }
}

extension Segment {
    /// The table, or its counterpart in a file of an older version: rows of one commit each.
    static func table(version: Int) -> String {
        version < 6 ? "(SELECT \(columnsOfCommits) FROM commits)" : "segments"
    }

    /// The columns of the row that a row of the table `commits` of version 1 to 5 becomes.
    static let columnsOfCommits = """
        session, revision AS first, revision AS last, at AS first_at, at AS last_at, commit_bytes(session,
            revision, at, type, payload, origin, cause, changes, hidden, checksum) AS commits
        """

    /// Defines the SQL function `commit_bytes`, whose arguments are the columns of a row of the table `commits`.
    ///
    /// - Returns: a result code of SQLite.
    static func defineEncoding(on handle: OpaquePointer) -> Int32 {
        sqlite3_create_function_v2(
            handle, "commit_bytes", 10, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, values in
                guard let values else { return }
                var batch = CommitBatch()
                _ = batch.append(CommitRow(values), of: Int(sqlite3_value_int64(values[0])))
                batch.bytes.withUnsafeBytes { csqlite_result_blob(context, $0.baseAddress, Int64($0.count)) }
            }, nil, nil, nil)
    }
}

extension CommitRow {
    /// - Parameter values: the arguments of `commit_bytes`.
    fileprivate init(_ values: UnsafeMutablePointer<OpaquePointer?>) {
        func integer(_ index: Int) -> Int { Int(sqlite3_value_int64(values[index])) }
        func isNull(_ index: Int) -> Bool { sqlite3_value_type(values[index]) == SQLITE_NULL }
        func bytes(_ index: Int) -> [UInt8] {
            let start = sqlite3_value_blob(values[index])
            return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(values[index]))))
        }
        self.init(
            revision: integer(1), committedAt: integer(2), type: String(decoding: bytes(3), as: UTF8.self),
            payload: bytes(4), origin: String(decoding: bytes(5), as: UTF8.self), cause: isNull(6) ? nil : integer(6),
            changes: bytes(7), privateState: isNull(8) ? nil : bytes(8),
            checksum: UInt64(bitPattern: sqlite3_value_int64(values[9])))
    }
}
