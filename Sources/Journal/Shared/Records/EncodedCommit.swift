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
        let parts = OptionalParts(hasPrivateState: row.privateState != nil, hasActor: row.actor != nil)
        add(byte: parts.rawValue)
        if let privateState = row.privateState { add(privateState) }
        if let actor = row.actor { add(actor) }
        add(checksum: row.checksum)
    }
}

extension RecordReader {
    /// The next commit.
    package mutating func commit() throws(Malformed) -> EncodedCommit {
        let (revision, committedAt, type, payload) = (try integer(), try integer(), try field(), try field())
        let origin = try field()
        let cause = try optional { reader throws(Malformed) in try reader.integer() }
        let changes = try field()
        guard let parts = OptionalParts(rawValue: try byte()) else { throw Malformed() }
        return EncodedCommit(
            revision: revision, committedAt: committedAt, type: type, payload: payload, origin: origin, cause: cause,
            changes: changes, privateState: parts.hasPrivateState ? try field() : nil,
            actor: parts.hasActor ? try field() : nil, checksum: try checksum())
    }
}

/// The byte that says which of the last fields of a commit are there. Earlier releases knew the first one only.
private struct OptionalParts {
    let rawValue: UInt8

    init(hasPrivateState: Bool, hasActor: Bool) { rawValue = (hasPrivateState ? 1 : 0) | (hasActor ? 2 : 0) }

    /// Nil for a byte that no release has written.
    init?(rawValue: UInt8) {
        guard rawValue < 4 else { return nil }
        self.rawValue = rawValue
    }

    var hasPrivateState: Bool { rawValue & 1 != 0 }
    var hasActor: Bool { rawValue & 2 != 0 }
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
    package let actor: UnsafeRawBufferPointer?
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
        if let actor { computed.add(actor) }
        return computed.value == checksum
    }

    /// As `CommitRow.byteCount`.
    package var byteCount: Int {
        CommitRow.byteCount(
            type.count, payload.count, origin.count, changes.count, privateState?.count, actor?.count)
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
            actor: commit.actor.map { Array($0) }, checksum: commit.checksum)
    }
}
