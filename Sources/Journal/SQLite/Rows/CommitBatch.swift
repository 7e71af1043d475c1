/// The bytes of several commits. A row of the table `unsorted` has those of one transaction, of all sessions. A row of the table
/// `segments` has those of one session.
///
/// The bytes of a commit are the number of its session and the fields of ``CommitRow`` in their order. Numbers are in LEB128, texts
/// have their length before them, and what may be missing has a one or a zero before it. The checksum is eight bytes, the
/// lowest first.
struct CommitBatch: Sendable {
    private(set) var bytes: [UInt8] = []

    /// - Returns: where the commit begins.
    mutating func append(_ row: CommitRow, of session: Int) -> Int {
        let start = bytes.count
        append(session)
        append(row.revision)
        append(row.committedAt)
        append(row.type)
        append(row.payload)
        append(row.origin)
        append(row.cause == nil ? 0 : 1)
        if let cause = row.cause { append(cause) }
        append(row.changes)
        append(row.privateState == nil ? 0 : 1)
        if let privateState = row.privateState { append(privateState) }
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: row.checksum >> shift)) }
        return start
    }

    mutating func append(_ commit: BatchedCommit) { bytes.append(contentsOf: commit.encoded) }

    private mutating func append(_ number: Int) {
        var rest = UInt(bitPattern: number)
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func append(_ text: String) {
        append(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(_ text: [UInt8]) {
        append(text.count)
        bytes.append(contentsOf: text)
    }

    /// What the row of this number adds to the sum of all rows, by which missing and damaged ones are noticed.
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
    let revision: Int
    let committedAt: Int
    let type: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    let origin: UnsafeRawBufferPointer
    let cause: Int?
    let changes: UnsafeRawBufferPointer
    let privateState: UnsafeRawBufferPointer?
    let checksum: UInt64
    /// All bytes of the commit.
    let encoded: UnsafeRawBufferPointer

    /// The same as `CommitRow.follows(_:)`.
    func follows(_ previous: UInt64) -> Bool {
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

    /// The same as `CommitRow.byteCount`.
    var byteCount: Int {
        CommitRow.byteCount(type.count, payload.count, origin.count, changes.count, privateState?.count)
    }
}

extension CommitRow {
    /// Copies a commit of a batch.
    init(_ commit: BatchedCommit) {
        self.init(
            revision: commit.revision, committedAt: commit.committedAt,
            type: String(decoding: commit.type, as: UTF8.self), payload: Array(commit.payload),
            origin: String(decoding: commit.origin, as: UTF8.self), cause: commit.cause,
            changes: Array(commit.changes), privateState: commit.privateState.map { Array($0) },
            checksum: commit.checksum)
    }
}

/// Reads the commits of a ``CommitBatch``. The bytes must outlive it and the commits.
struct CommitBatchReader {
    private let bytes: UnsafeRawBufferPointer
    /// Where the next commit begins.
    private(set) var position: Int

    init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The next commit; nil if the bytes are malformed.
    mutating func next() -> BatchedCommit? {
        let start = position
        guard let session = number(), let revision = number(), let committedAt = number(), let type = text(),
            let payload = text(), let origin = text(), let cause = optional({ $0.number() }), let changes = text(),
            let privateState = optional({ $0.text() }), let checksum = checksum()
        else { return nil }
        return BatchedCommit(
            session: session, revision: revision, committedAt: committedAt, type: type, payload: payload,
            origin: origin, cause: cause, changes: changes, privateState: privateState, checksum: checksum,
            encoded: UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
    }

    private mutating func number() -> Int? {
        var number: UInt = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            number |= UInt(byte & 0x7f) << UInt(shift)
            if byte < 0x80 { return Int(bitPattern: number) }
        }
        return nil
    }

    private mutating func text() -> UnsafeRawBufferPointer? {
        guard let count = number(), count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    private mutating func optional<Value>(_ value: (inout Self) -> Value?) -> Value?? {
        switch number() {
        case 0: return .some(nil)
        case 1: return value(&self).map { .some($0) }
        default: return nil
        }
    }

    private mutating func checksum() -> UInt64? {
        guard bytes.count - position >= 8 else { return nil }
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }
}
