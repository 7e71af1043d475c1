import JSON
import StoreHosting
import Stores

/// A row of the table `commits`.
struct CommitRow: Sendable {
    let revision: Int
    let committedAt: Int
    let type: String
    let payload: [UInt8]
    let origin: String
    let cause: Int?
    let changes: [UInt8]
    let privateState: [UInt8]?
    let checksum: UInt64

    /// - Parameter previous: the checksum of the previous row, or of the session row for the first commit.
    init(_ record: CommitRecord, after previous: UInt64) {
        revision = record.revision
        committedAt = record.committedAt
        type = record.type
        payload = JSONValue.object(record.payload).encoded()
        origin = record.origin.rawValue
        cause = record.cause
        changes = record.changes.encoded()
        privateState = record.privateState
        checksum = Self.checksum(
            previous, revision: revision, committedAt: committedAt, type: type, payload: payload, origin: origin,
            cause: cause,
            changes: changes, privateState: privateState)
    }

    /// The columns that statements select.
    static let columns = "revision, at, type, payload, origin, cause, changes, hidden, checksum"

    /// - Parameter row: the columns ``columns``.
    init(_ row: borrowing Row) {
        revision = row.integer(0)
        committedAt = row.integer(1)
        type = row.text(2)
        payload = row.bytes(3)
        origin = row.text(4)
        cause = row.optionalInteger(5)
        changes = row.bytes(6)
        privateState = row.optionalBytes(7)
        checksum = row.checksum(8)
    }

    /// Whether the row is intact and follows a row with this checksum.
    func follows(_ previous: UInt64) -> Bool {
        checksum
            == Self.checksum(
                previous, revision: revision, committedAt: committedAt, type: type, payload: payload, origin: origin,
                cause: cause,
                changes: changes, privateState: privateState)
    }

    /// The commit; nil if a field is malformed.
    var record: CommitRecord? {
        guard let origin = Origin(rawValue: origin), let changes = EncodedPatch(json: changes),
            case .object(let payload)? = try? JSONValue(parsing: payload, maximumDepth: JSONValue.maxDepth)
        else { return nil }
        return CommitRecord(
            revision: revision, type: type, payload: payload, origin: origin, cause: cause, committedAt: committedAt,
            changes: changes,
            privateState: privateState)
    }

    private static func checksum(
        _ previous: UInt64, revision: Int, committedAt: Int, type: String, payload: [UInt8], origin: String,
        cause: Int?,
        changes: [UInt8], privateState: [UInt8]?
    ) -> UInt64 {
        var checksum = Checksum(previous)
        checksum.add(revision)
        checksum.add(committedAt)
        checksum.add(type)
        checksum.add(payload)
        checksum.add(origin)
        checksum.add(cause)
        checksum.add(changes)
        checksum.add(privateState)
        return checksum.value
    }
}

/// A 64-bit checksum of a row's fields, chained from row to row.
///
/// It detects damage, not forgery. Each step is invertible, so a single different word is always detected. The results
/// are stored in files, so the algorithm must never change.
struct Checksum {
    private(set) var value: UInt64

    /// - Parameter value: the checksum of the previous row.
    init(_ value: UInt64) { self.value = value }

    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x9e37_79b9_7f4a_7c15
        value ^= value >> 29
    }

    mutating func add(_ number: Int?) {
        add(UInt64(number == nil ? 1 : 0))
        add(UInt64(bitPattern: Int64(number ?? 0)))
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    mutating func add(_ bytes: [UInt8]?) {
        guard let bytes else { return add(UInt64.max) }
        bytes.withUnsafeBytes { add($0) }
    }

    /// Adds the length too, so that bytes cannot move from one field to the next unnoticed.
    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        guard offset < bytes.count else { return }
        var last: UInt64 = 0
        for byte in bytes[offset...].reversed() { last = last << 8 | UInt64(byte) }
        add(last)
    }
}
