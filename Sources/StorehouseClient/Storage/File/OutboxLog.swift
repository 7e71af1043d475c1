import StoreHosting

/// The records of an outbox, as they follow each other in a file.
///
/// A record is a line, its content and a line break: `row 17 42 5d1c…` for an entry of 42 bytes, or `progress 18 24 0c77…` for
/// how far the outbox has come; 18 is the highest number then. The last word is a hash of all else.
struct OutboxLog {
    private struct Record {
        var kind: String
        var number: Int
        var content: ArraySlice<UInt8>
        var start: Int
        /// Behind it.
        var end: Int
    }

    static let head = Array("storehouse outbox 1\n".utf8)
    /// Files of all versions begin with it.
    private static let family = Array("storehouse outbox ".utf8)
    /// Every record begins with one of them.
    private static let initials = Array("rp".utf8)

    private(set) var client: String?
    private(set) var last = 0
    private(set) var sent = 0
    private var rows: [Int: [UInt8]] = [:]
    /// How many bytes of the file are valid; 0 if even its head is not.
    private(set) var size = 0
    /// How many of them the entries have that are not done.
    private(set) var liveSize = 0
    /// Whether something that is no record stands before the last one.
    private(set) var isDamaged = false

    init() {}

    /// Reads all whole records of a file. What stands behind the last one is one that a crash has torn.
    ///
    /// - Returns: nil for the file of another version.
    init?(reading bytes: [UInt8]) {
        if bytes.starts(with: Self.head) {
            size = Self.head.count
        } else if bytes.starts(with: Self.family), bytes.count >= Self.head.count {
            return nil
        }
        var mayHaveSent = false
        while let record = Self.nextRecord(in: bytes, from: size) {
            if size == 0 || record.start > size {
                isDamaged = true
                mayHaveSent = mayHaveSent || !Self.isEntry(bytes[size..<record.start])
            }
            take(record)
            size = record.end
        }
        // A lost record may have said that an entry was sent. An entry that counts as sent is never run twice.
        if mayHaveSent { sent = last }
    }

    /// The entries that are not done, in the order of their numbers.
    var openRows: [OutboxRow] {
        rows.sorted { $0.key < $1.key }.map { OutboxRow(number: $0.key, bytes: $0.value) }
    }

    /// The file that says the same in as few bytes as possible.
    var compacted: [UInt8] {
        openRows.reduce(Self.head + progress(client, sent: sent, done: [])) { $0 + Self.encoded($1) }
    }

    /// The bytes for more entries.
    static func encoded(_ rows: [OutboxRow]) -> [UInt8] { rows.flatMap(encoded) }

    /// The bytes for what became of entries.
    func encoded(_ progress: OutboxProgress) -> [UInt8] {
        self.progress(progress.client, sent: progress.sent, done: progress.done)
    }

    /// The bytes that were made of these rows are in the file.
    mutating func append(_ rows: [OutboxRow], byteCount: Int) {
        for row in rows { add(row.number, row.bytes) }
        grow(by: byteCount)
    }

    /// The bytes that were made of this progress are in the file.
    mutating func advance(_ progress: OutboxProgress, byteCount: Int) {
        advance(to: progress.sent, of: progress.client)
        for number in progress.done { remove(number) }
        grow(by: byteCount)
    }

    private mutating func advance(to sent: Int, of client: String?) {
        (self.client, self.sent) = (client, sent)
        // An entry with secrets has a number, but no row.
        last = max(last, sent)
    }

    private mutating func grow(by byteCount: Int) {
        size = max(size, Self.head.count) + byteCount
    }

    private mutating func add(_ number: Int, _ bytes: [UInt8]) {
        remove(number)
        rows[number] = bytes
        last = max(last, number)
        liveSize += bytes.count
    }

    private mutating func remove(_ number: Int) {
        if let bytes = rows.removeValue(forKey: number) { liveSize -= bytes.count }
    }

    // MARK: Records

    private static func encoded(_ row: OutboxRow) -> [UInt8] { encoded("row", row.number, row.bytes) }

    private func progress(_ client: String?, sent: Int, done: [Int]) -> [UInt8] {
        let words = [client ?? "-", String(sent)] + done.map { String($0) }
        return Self.encoded("progress", last, Array(words.joined(separator: " ").utf8))
    }

    private static func encoded(_ kind: String, _ number: Int, _ content: [UInt8]) -> [UInt8] {
        let line = "\(kind) \(number) \(content.count)"
        return Array("\(line) \(hash(line, content[...]))\n".utf8) + content + [10]
    }

    private static func hash(_ line: String, _ content: ArraySlice<UInt8>) -> String {
        var hash = FNV1a()
        for byte in line.utf8 { hash.add(byte) }
        for byte in content { hash.add(byte) }
        return String(hash.value, radix: 16)
    }

    /// The first whole record that begins here or later.
    private static func nextRecord(in bytes: [UInt8], from start: Int) -> Record? {
        for place in start..<bytes.count where initials.contains(bytes[place]) {
            if let record = record(in: bytes, at: place) { return record }
        }
        return nil
    }

    /// Whether a damaged part had an entry, and nothing else.
    private static func isEntry(_ part: ArraySlice<UInt8>) -> Bool {
        part.starts(with: "row ".utf8) && part.count { $0 == 10 } == 2
    }

    /// - Returns: nil if there is no whole record.
    private static func record(in bytes: [UInt8], at start: Int) -> Record? {
        // No line is longer, and what is not a record may have no line break at all.
        guard let end = bytes[start...].prefix(80).firstIndex(of: 10) else { return nil }
        let words = String(decoding: bytes[start..<end], as: UTF8.self).split(separator: " ").map { String($0) }
        guard words.count == 4, let number = Int(words[1]), let count = Int(words[2]), count >= 0,
            count < bytes.count - end - 1
        else { return nil }
        let content = bytes[(end + 1)..<(end + 1 + count)]
        let line = words[0...2].joined(separator: " ")
        guard bytes[content.endIndex] == 10, hash(line, content) == words[3] else { return nil }
        return Record(kind: words[0], number: number, content: content, start: start, end: content.endIndex + 1)
    }

    private mutating func take(_ record: Record) {
        if record.kind == "row" { add(record.number, Array(record.content)) }
        guard record.kind == "progress" else { return }
        let words = String(decoding: record.content, as: UTF8.self).split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard let name = words.first, let sent = numbers.first else { return }
        advance(to: sent, of: name == "-" ? nil : String(name))
        last = max(last, record.number)
        for number in numbers.dropFirst() { remove(number) }
    }
}
