import StoreHosting

extension RecordWriter {
    package mutating func add(_ row: CommitRow) {
        add(row.revision)
        add(row.committedAt)
        add(row.type)
        add(row.payload)
        add(row.origin)
        add(row.cause) { $0.add($1) }
        add(row.changes)
        add(row.privateState) { $0.add($1) }
        add(checksum: row.checksum)
    }
}

extension RecordReader {
    /// The next commit.
    package mutating func commit() throws(Malformed) -> EncodedCommit {
        EncodedCommit(
            revision: try integer(), committedAt: try integer(), type: try field(), payload: try field(),
            origin: try field(), cause: try optional { reader throws(Malformed) in try reader.integer() },
            changes: try field(), privateState: try optional { reader throws(Malformed) in try reader.field() },
            checksum: try checksum())
    }
}

/// A commit as it lies in the bytes of a record: valid as long as they are.
package struct EncodedCommit {
    package let revision: Int
    package let committedAt: Int
    package let type: UnsafeRawBufferPointer
    package let payload: UnsafeRawBufferPointer
    package let origin: UnsafeRawBufferPointer
    package let cause: Int?
    package let changes: UnsafeRawBufferPointer
    package let privateState: UnsafeRawBufferPointer?
    package let checksum: UInt64

    /// As `CommitRow.follows(_:)`.
    package func follows(_ previous: UInt64) -> Bool {
        var computed = Checksum(previous)
        computed.add(revision)
        computed.add(committedAt)
        computed.add(type)
        computed.add(payload)
        computed.add(origin)
        computed.add(cause)
        computed.add(changes)
        if let privateState { computed.add(privateState) } else { computed.add(nil as [UInt8]?) }
        return computed.value == checksum
    }

    /// As `CommitRow.byteCount`.
    package var byteCount: Int {
        CommitRow.byteCount(type.count, payload.count, origin.count, changes.count, privateState?.count)
    }
}

extension CommitRow {
    /// Copies a commit.
    package init(_ commit: EncodedCommit) {
        self.init(
            revision: commit.revision, committedAt: commit.committedAt,
            type: String(decoding: commit.type, as: UTF8.self), payload: Array(commit.payload),
            origin: String(decoding: commit.origin, as: UTF8.self), cause: commit.cause,
            changes: Array(commit.changes), privateState: commit.privateState.map { Array($0) },
            checksum: commit.checksum)
    }
}
