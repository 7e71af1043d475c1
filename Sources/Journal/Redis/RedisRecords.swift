import StoreHosting
import Stores

/// Writes the fields of a record, one after the other.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: about how many bytes the record takes.
    init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

    /// Writes behind what there is.
    init(behind bytes: consuming [UInt8]) { self.bytes = bytes }

    /// Takes out what was written.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// In base 128, the low digits first.
    mutating func add(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number << 1 ^ number >> 63))) }

    mutating func add(_ content: [UInt8]) {
        add(UInt64(content.count))
        bytes += content
    }

    mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    mutating func add<Value>(_ value: Value?, _ add: (inout RecordWriter, Value) -> Void) {
        bytes.append(value == nil ? 0 : 1)
        if let value { add(&self, value) }
    }

    mutating func add(checksum: UInt64) {
        withUnsafeBytes(of: checksum.littleEndian) { bytes += $0 }
    }
}

extension RecordWriter {
    mutating func add(_ row: CommitRow) {
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

/// Reads the fields of a record in the order in which they were written.
struct RecordReader {
    /// The bytes are no such record.
    struct Malformed: Error {}

    private let bytes: [UInt8]
    private var next = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() throws(Malformed) -> UInt8 {
        guard next < bytes.count else { throw Malformed() }
        defer { next += 1 }
        return bytes[next]
    }

    mutating func word() throws(Malformed) -> UInt64 {
        var (number, shift) = (UInt64(0), UInt64(0))
        while shift < 64 {
            let byte = try byte()
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        throw Malformed()
    }

    mutating func integer() throws(Malformed) -> Int {
        let word = try word()
        return Int(bitPattern: UInt(word >> 1)) ^ -Int(bitPattern: UInt(word & 1))
    }

    mutating func content() throws(Malformed) -> [UInt8] {
        guard let count = Int(exactly: try word()), count <= bytes.count - next else { throw Malformed() }
        defer { next += count }
        return Array(bytes[next..<(next + count)])
    }

    mutating func text() throws(Malformed) -> String {
        guard let text = String(validating: try content(), as: UTF8.self) else { throw Malformed() }
        return text
    }

    mutating func optional<Value>(_ read: (inout RecordReader) throws(Malformed) -> Value) throws(Malformed) -> Value? {
        try byte() == 0 ? nil : try read(&self)
    }

    mutating func checksum() throws(Malformed) -> UInt64 {
        var number = UInt64(0)
        for shift in 0..<8 { number |= UInt64(try byte()) << UInt64(8 * shift) }
        return number
    }

    /// Throws if something follows.
    func end() throws(Malformed) { if next != bytes.count { throw Malformed() } }
}

extension CommitRow {
    var encoded: [UInt8] {
        var record = RecordWriter(capacity: byteCount)
        record.add(self)
        return record.bytes
    }

    init(encoded bytes: [UInt8]) throws(RecordReader.Malformed) {
        var record = RecordReader(bytes)
        self.init(
            revision: try record.integer(), committedAt: try record.integer(), type: try record.text(),
            payload: try record.content(), origin: try record.text(),
            cause: try record.optional { reader throws(RecordReader.Malformed) in try reader.integer() },
            changes: try record.content(),
            privateState: try record.optional { reader throws(RecordReader.Malformed) in try reader.content() },
            checksum: try record.checksum())
        try record.end()
    }
}

extension SnapshotRow {
    var encoded: [UInt8] {
        var record = RecordWriter()
        record.add(revision)
        record.add(state)
        record.add(privateState) { $0.add($1) }
        record.add(checksum: chain)
        record.add(checksum: checksum)
        return record.bytes
    }

    /// Throws if the checksum is wrong, too.
    init(encoded bytes: [UInt8]) throws(RecordReader.Malformed) {
        var record = RecordReader(bytes)
        self.init(
            revision: try record.integer(), state: try record.content(),
            privateState: try record.optional { reader throws(RecordReader.Malformed) in try reader.content() },
            chain: try record.checksum())
        guard try record.checksum() == checksum else { throw RecordReader.Malformed() }
        try record.end()
    }
}

extension IdempotencyRecord {
    var encoded: [UInt8] {
        var record = RecordWriter()
        record.add(key)
        record.add(checksum: fingerprint)
        record.add(response)
        record.add(revision) { $0.add($1) }
        record.add(at)
        record.add(checksum: checksum)
        return record.bytes
    }

    /// Throws if the checksum is wrong, too.
    init(encoded bytes: [UInt8]) throws(RecordReader.Malformed) {
        var record = RecordReader(bytes)
        self.init(
            key: try record.text(), fingerprint: try record.checksum(), response: try record.content(),
            revision: try record.optional { reader throws(RecordReader.Malformed) in try reader.integer() },
            at: try record.integer())
        guard try record.checksum() == checksum else { throw RecordReader.Malformed() }
        try record.end()
    }
}

extension StateSnapshot {
    var encoded: [UInt8] {
        var record = RecordWriter()
        record.add(json)
        record.add(privateState) { $0.add($1) }
        return record.bytes
    }

    init(encoded bytes: [UInt8]) throws(RecordReader.Malformed) {
        var record = RecordReader(bytes)
        self.init(
            json: try record.content(),
            privateState: try record.optional { reader throws(RecordReader.Malformed) in try reader.content() })
        try record.end()
    }
}

extension SessionHeader {
    /// All but the id and the initial state.
    var encoded: [UInt8] {
        var record = RecordWriter()
        record.add(kind)
        record.add(schema)
        record.add(createdAt)
        record.add(forkedFrom) { $0.add($1) }
        record.add(historyID)
        record.add(owner) { $0.add($1.text) }
        record.add(isPersonal ? 1 : 0)
        record.add(checksum: SessionRow.checksum(self))
        return record.bytes
    }

    /// When the session was created. The checksum is not verified.
    static func createdAt(encoded bytes: [UInt8]) throws(RecordReader.Malformed) -> Int {
        var record = RecordReader(bytes)
        _ = try record.content()
        _ = try record.integer()
        return try record.integer()
    }

    /// Throws if the checksum is wrong, too.
    init(id: String, encoded bytes: [UInt8], initial: StateSnapshot) throws(RecordReader.Malformed) {
        var record = RecordReader(bytes)
        self.init(
            id: id, kind: try record.text(), schema: try record.integer(), createdAt: try record.integer(),
            forkedFrom: try record.optional { reader throws(RecordReader.Malformed) in try reader.integer() },
            historyID: try record.text(), initial: initial,
            owner: try record.optional { reader throws(RecordReader.Malformed) in Subject(try reader.text()) },
            isPersonal: try record.integer() != 0)
        guard try record.checksum() == SessionRow.checksum(self) else { throw RecordReader.Malformed() }
        try record.end()
    }
}
