import Journal
package import StoreHosting

// Permits in Redis: the session's field `permits` has their ids, each with a space behind it, and `x` and an id is the record.
extension PermitRecord {
    var encoded: [UInt8] {
        var record = RecordWriter(.zigZag, capacity: content.count + 16)
        record.add(content)
        record.add(checksum: checksum)
        return record.bytes
    }

    /// Throws if the checksum is wrong, too.
    init(id: String, encoded bytes: [UInt8]) throws(RecordReader.Malformed) {
        self = try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in
            let value = PermitRecord(id: id, content: try record.content())
            guard try record.checksum() == value.checksum else { throw RecordReader.Malformed() }
            try record.end()
            return value
        }
    }

    /// - Parameter found: ids and records by turns.
    static func records(_ found: [RedisReply]) throws(RecordReader.Malformed) -> [PermitRecord] {
        var records: [PermitRecord] = []
        for index in stride(from: 0, to: found.count - 1, by: 2) {
            records.append(try PermitRecord(id: found[index].text ?? "", encoded: found[index + 1].bytes ?? []))
        }
        return records
    }

    /// The fields of a session that has these, by their names.
    static func fields(_ records: [PermitRecord]) -> [String: [UInt8]] {
        guard !records.isEmpty else { return [:] }
        var fields = ["permits": Array(records.map { $0.id + " " }.joined().utf8)]
        for record in records { fields["x" + record.id] = record.encoded }
        return fields
    }
}

extension PermitChange {
    /// The script that makes the change, and its arguments.
    ///
    /// - Parameter claim: that of the session.
    func call(by claim: String, _ position: RedisPosition) -> (RedisScript, RedisArguments) {
        var arguments = RedisArguments(claim, String(position.sequence), String(position.revision))
        switch self {
        case .made(let record, let dropped):
            arguments.add(record.id)
            arguments.add(record.encoded)
            for id in dropped { arguments.add(id) }
            return (.grant, arguments)
        case .revoked(let ids):
            arguments.add("")
            for id in ids { arguments.add(id) }
        case .revokedAll(let generation, let ids):
            arguments.add(generation)
            for id in ids { arguments.add(id) }
        }
        return (.share, arguments)
    }

    /// Deletes the records of the permits that go.
    func deletion(from session: String) -> [RedisCommand?] {
        let ids =
            switch self {
            case .made(_, let dropped): dropped
            case .revoked(let ids), .revokedAll(_, let ids): ids
            }
        return ids.isEmpty ? [] : [RedisCommand(RedisArguments(["HDEL", session] + ids.map { "x" + $0 }))]
    }
}

extension RedisJournal {
    package func permits(ofEnded id: String) async throws(JournalError) -> FinalPermits? {
        try await read(.ended, of: names.session(RedisNames.hash(of: id)), []) { fields in
            guard fields.count == 3, let generation = fields[1].integer, let list = fields[2].text else { return nil }
            return FinalPermits(generation: generation, list: list)
        }
    }
}
