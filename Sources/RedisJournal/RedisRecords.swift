import JSON
import Journal
import StoreHosting
import Stores

extension CommitRow {
    var encoded: [UInt8] {
        var record = RecordWriter(.zigZag, capacity: byteCount)
        record.add(self)
        return record.bytes
    }

    init(encoded bytes: [UInt8]) throws(RecordReader.Malformed) {
        self = try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in
            let commit = try record.commit()
            try record.end()
            for text in [commit.type, commit.origin] where String(validating: text, as: UTF8.self) == nil {
                throw RecordReader.Malformed()
            }
            return CommitRow(commit)
        }
    }
}

extension SnapshotRow {
    var encoded: [UInt8] {
        var record = RecordWriter(.zigZag, capacity: 64)
        record.add(revision)
        record.add(state)
        record.add(privateState) { $0.add($1) }
        record.add(checksum: chain)
        record.add(checksum: checksum)
        return record.bytes
    }

    /// Throws if the checksum is wrong, too.
    init(encoded bytes: [UInt8]) throws(RecordReader.Malformed) {
        self = try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in
            let value = SnapshotRow(
                revision: try record.integer(), state: try record.content(),
                privateState: try record.optional { reader throws(RecordReader.Malformed) in try reader.content() },
                chain: try record.checksum())
            guard try record.checksum() == value.checksum else { throw RecordReader.Malformed() }
            try record.end()
            return value
        }
    }
}

extension IdempotencyRecord {
    var encoded: [UInt8] {
        var record = RecordWriter(.zigZag, capacity: 64)
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
        self = try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in
            let value = IdempotencyRecord(
                key: try record.text(), fingerprint: try record.checksum(), response: try record.content(),
                revision: try record.optional { reader throws(RecordReader.Malformed) in try reader.integer() },
                at: try record.integer())
            guard try record.checksum() == value.checksum else { throw RecordReader.Malformed() }
            try record.end()
            return value
        }
    }
}

extension StateSnapshot {
    var encoded: [UInt8] {
        var record = RecordWriter(.zigZag, capacity: 64)
        record.add(json)
        record.add(privateState) { $0.add($1) }
        return record.bytes
    }

    init(encoded bytes: [UInt8]) throws(RecordReader.Malformed) {
        self = try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in
            let value = StateSnapshot(
                json: try record.content(),
                privateState: try record.optional { reader throws(RecordReader.Malformed) in try reader.content() })
            try record.end()
            return value
        }
    }
}

extension SessionHeader {
    /// All but the id and the initial state.
    var encoded: [UInt8] {
        var record = RecordWriter(.zigZag, capacity: 64)
        record.add(kind)
        record.add(schema)
        record.add(createdAt)
        record.add(forkedFrom) { $0.add($1) }
        record.add(historyID)
        record.add(owner) { $0.add($1.text) }
        record.add(isPersonal ? 1 : 0)
        record.add(checksum: checksum)
        return record.bytes
    }

    /// Its kind and its owner. The checksum is not verified.
    static func kindAndOwner(encoded bytes: [UInt8]) throws(RecordReader.Malformed) -> (kind: String, owner: Subject?) {
        try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in
            let kind = try record.text()
            for _ in 0..<2 { _ = try record.integer() }
            _ = try record.optional { reader throws(RecordReader.Malformed) in try reader.integer() }
            _ = try record.text()
            return (
                kind, try record.optional { reader throws(RecordReader.Malformed) in Subject(try reader.text()) }
            )
        }
    }

    /// Its kind. The checksum is not verified.
    static func kind(encoded bytes: [UInt8]) throws(RecordReader.Malformed) -> String {
        try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in try record.text() }
    }

    /// When the session was created. The checksum is not verified.
    static func createdAt(encoded bytes: [UInt8]) throws(RecordReader.Malformed) -> Int {
        try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in
            _ = try record.content()
            _ = try record.integer()
            return try record.integer()
        }
    }

    /// Throws if the checksum is wrong, too.
    init(id: String, encoded bytes: [UInt8], initial: StateSnapshot) throws(RecordReader.Malformed) {
        self = try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in
            let value = SessionHeader(
                id: id, kind: try record.text(), schema: try record.integer(), createdAt: try record.integer(),
                forkedFrom: try record.optional { reader throws(RecordReader.Malformed) in try reader.integer() },
                historyID: try record.text(), initial: initial,
                owner: try record.optional { reader throws(RecordReader.Malformed) in Subject(try reader.text()) },
                isPersonal: try record.integer() != 0)
            guard try record.checksum() == value.checksum else { throw RecordReader.Malformed() }
            try record.end()
            return value
        }
    }
}
