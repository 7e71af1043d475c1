import Journal

/// A command in the protocol of Redis (RESP2).
package struct RedisCommand: Sendable {
    package let bytes: [UInt8]

    package init(_ words: String...) { self.init(words) }

    package init(_ words: [String]) { self.init(RedisArguments(words)) }

    /// - Parameter words: the name of the command, and its arguments.
    init(_ words: RedisArguments) { bytes = Self.head(count: words.count) + words.bytes }

    /// A call of a script that the server knows by its hash.
    init(evaluating hash: [UInt8], _ keys: RedisKeys, _ arguments: consuming RedisArguments) {
        var head = Self.head(count: 3 + keys.count + arguments.count)
        head.reserveCapacity(80 + keys.bytes.count)
        head += Self.evaluation
        head.append(argument: hash)
        head += keys.bytes
        arguments.bytes.insert(contentsOf: head, at: 0)
        bytes = arguments.bytes
    }

    private static let evaluation = RedisArguments("EVALSHA").bytes

    /// - Parameter count: how many arguments follow, with the name of the command.
    private static func head(count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(UInt8(ascii: "*"), UInt64(count))
        return bytes
    }
}

/// Commands that are sent together, for one purpose. The reply to one of them is the result.
package struct RedisBatch: Sendable {
    package private(set) var bytes: [UInt8]
    /// How many replies there will be.
    package private(set) var count: Int
    /// The index of the command whose reply is the result.
    let resultIndex: Int

    package init(bytes: [UInt8], count: Int, resultIndex: Int = 0) {
        (self.bytes, self.count, self.resultIndex) = (bytes, count, resultIndex)
    }

    package init(_ command: RedisCommand) { self.init(bytes: command.bytes, count: 1) }

    init(_ commands: [RedisCommand], resultIndex: Int = 0) {
        self.init(bytes: commands.flatMap(\.bytes), count: commands.count, resultIndex: resultIndex)
    }

    /// Nil if one of the commands could not be made.
    init?(_ commands: [RedisCommand?], resultIndex: Int = 0) {
        let made = commands.compactMap(\.self)
        guard made.count == commands.count else { return nil }
        self.init(made, resultIndex: resultIndex)
    }

    mutating func append(_ command: RedisCommand) {
        bytes += command.bytes
        count += 1
    }
}

/// The keys of a script as they are sent, with their number.
package struct RedisKeys: Sendable {
    fileprivate let count: Int
    fileprivate let bytes: [UInt8]

    /// - Parameter session: the key that the script works on; nil for none.
    init(tag: String, session: String? = nil) {
        var arguments = RedisArguments(capacity: 48 + tag.utf8.count + (session?.utf8.count ?? 0))
        arguments.add(session == nil ? 1 : 2)
        arguments.add(tag)
        if let session { arguments.add(session) }
        (count, bytes) = (session == nil ? 1 : 2, arguments.bytes)
    }
}

/// The arguments of a command as they are sent.
package struct RedisArguments: Sendable {
    fileprivate var count = 0
    fileprivate var bytes: [UInt8] = []

    /// - Parameter capacity: about how many bytes they take.
    init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

    init(_ words: String...) { self.init(words) }

    init(_ words: [String]) {
        self.init()
        for word in words { add(word) }
    }

    mutating func add(_ argument: [UInt8]) {
        count += 1
        bytes.append(argument: argument)
    }

    mutating func add(_ text: String) {
        count += 1
        bytes.append(UInt8(ascii: "$"), UInt64(text.utf8.count))
        bytes += text.utf8
        bytes.append(13)
        bytes.append(10)
    }

    mutating func add(_ number: UInt64) {
        count += 1
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
            (buffer[30], buffer[31]) = (13, 10)
            let first = buffer.write(number, endingAt: 30)
            let length = buffer.writeLine(UInt8(ascii: "$"), UInt64(30 - first), endingAt: first)
            bytes += UnsafeMutableBufferPointer(rebasing: buffer[length...])
        }
    }

    mutating func add(_ number: Int) {
        if number >= 0 { add(UInt64(number)) } else { add(String(number)) }
    }

    /// Adds a record of a commit.
    mutating func add(_ row: CommitRow) {
        count += 1
        let start = bytes.count
        var record = RecordWriter(.zigZag, behind: bytes)
        bytes = []
        record.add(row)
        bytes = record.take()
        var head: [UInt8] = []
        head.append(UInt8(ascii: "$"), UInt64(bytes.count - start))
        bytes.insert(contentsOf: head, at: start)
        bytes.append(13)
        bytes.append(10)
    }
}

extension [UInt8] {
    fileprivate mutating func append(argument: [UInt8]) {
        append(UInt8(ascii: "$"), UInt64(argument.count))
        self += argument
        append(13)
        append(10)
    }

    /// Appends a line of a type and a number.
    fileprivate mutating func append(_ type: UInt8, _ number: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
            let start = buffer.writeLine(type, number, endingAt: 24)
            self += UnsafeMutableBufferPointer(rebasing: buffer[start...])
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes the digits of a number before an index.
    ///
    /// - Returns: the index of the first.
    fileprivate func write(_ number: UInt64, endingAt end: Int) -> Int {
        var (rest, start) = (number, end)
        repeat {
            start -= 1
            self[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        return start
    }

    /// Writes a line of a type and a number before an index.
    ///
    /// - Returns: the index of the type.
    fileprivate func writeLine(_ type: UInt8, _ number: UInt64, endingAt end: Int) -> Int {
        (self[end - 2], self[end - 1]) = (13, 10)
        let start = write(number, endingAt: end - 2) - 1
        self[start] = type
        return start
    }
}
