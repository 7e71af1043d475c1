/// The bytes of several commits. A row of the table `unsorted` has the commits of one transaction, of all sessions. A
/// row of the table `segments` has commits of one session.
///
/// The bytes of a commit are the number of its session and the fields of ``CommitRow``, as ``RecordWriter`` writes them.
struct CommitBatch: Sendable {
    private var record = RecordWriter(.plain)

    var bytes: [UInt8] { record.bytes }

    /// - Returns: where the commit begins.
    mutating func append(_ row: CommitRow, of session: Int) -> Int {
        let start = record.bytes.count
        record.add(session)
        record.add(row)
        return start
    }

    mutating func append(_ commit: BatchedCommit) { record.add(encoded: commit.encoded) }

    /// The digest that a row adds to the sum of all rows. The sum shows whether rows are missing or damaged.
    static func digest(_ bytes: [UInt8], number: Int) -> UInt64 {
        var digest = Checksum(0)
        digest.add(number)
        digest.add(bytes)
        return digest.value
    }
}

/// A commit as it lies in the bytes of a ``CommitBatch``: valid as long as they are.
struct BatchedCommit {
    /// The number of its session.
    let session: Int
    let fields: EncodedCommit
    /// All bytes of the commit, with the number of its session.
    let encoded: UnsafeRawBufferPointer

    var revision: Int { fields.revision }
    var committedAt: Int { fields.committedAt }
    var checksum: UInt64 { fields.checksum }
    var byteCount: Int { fields.byteCount }

    func follows(_ previous: UInt64) -> Bool { fields.follows(previous) }
}

/// Reads the commits of a ``CommitBatch``. The bytes must outlive it and the commits.
struct CommitBatchReader {
    private var record: RecordReader

    init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
        record = RecordReader(.plain, bytes, at: position)
    }

    /// Where the next commit begins.
    var position: Int { record.position }

    var isAtEnd: Bool { record.isAtEnd }

    /// The next commit; nil if the bytes are malformed.
    mutating func next() -> BatchedCommit? {
        let start = record.position
        guard let session = try? record.integer(), let fields = try? record.commit() else { return nil }
        return BatchedCommit(session: session, fields: fields, encoded: record.read(from: start))
    }
}
