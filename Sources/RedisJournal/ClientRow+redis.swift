import Journal
import StoreHosting

// Clients in Redis: the session's field `clients` has their marks, each with a space behind it, and `o` and a mark is the record.
extension ClientRow {
    var encoded: [UInt8] {
        var record = RecordWriter(.zigZag, capacity: content.count + 16)
        record.add(content)
        record.add(checksum: checksum)
        return record.bytes
    }

    /// Throws if the checksum is wrong, too.
    init(mark: String, encoded bytes: [UInt8]) throws(RecordReader.Malformed) {
        self = try RecordReader.read(.zigZag, bytes) { record throws(RecordReader.Malformed) in
            let value = ClientRow(mark: mark, content: try record.content())
            guard try record.checksum() == value.checksum else { throw RecordReader.Malformed() }
            try record.end()
            return value
        }
    }

    /// - Parameter found: marks and records by turns.
    static func rows(_ found: [RedisReply]) throws(RecordReader.Malformed) -> [ClientRow] {
        var rows: [ClientRow] = []
        for index in stride(from: 0, to: found.count - 1, by: 2) {
            rows.append(try ClientRow(mark: found[index].text ?? "", encoded: found[index + 1].bytes ?? []))
        }
        return rows
    }

    /// The fields of a session that has these, by their names.
    static func fields(_ rows: [ClientRow]) -> [String: [UInt8]] {
        guard !rows.isEmpty else { return [:] }
        var fields = ["clients": Array(rows.map { $0.mark + " " }.joined().utf8)]
        for row in rows { fields["o" + row.mark] = row.encoded }
        return fields
    }
}

extension ClientChange {
    /// Adds the arguments of the script `append`.
    func add(to arguments: inout RedisArguments) {
        arguments.add(put?.mark ?? "")
        arguments.add(put?.encoded ?? [])
        for mark in dropped { arguments.add(mark) }
    }

    /// Deletes the records that are forgotten. Nobody reads one whose mark is not in the list.
    func deletion(from session: String) -> [RedisCommand?] {
        dropped.isEmpty ? [] : [RedisCommand(RedisArguments(["HDEL", session] + dropped.map { "o" + $0 }))]
    }
}
