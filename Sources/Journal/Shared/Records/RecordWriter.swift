/// Writes the fields of a record, one after the other.
///
/// Words are in LEB128, the low digits first. Texts have their length before them, and what may be missing has a one or a zero. A
/// checksum is eight bytes, the lowest first.
package struct RecordWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private let numbers: NumberFormat

    /// - Parameters:
    ///   - numbers: the format of signed numbers.
    ///   - capacity: about how many bytes the record takes.
    package init(_ numbers: NumberFormat, capacity: Int = 0) {
        self.numbers = numbers
        bytes.reserveCapacity(capacity)
    }

    /// Writes behind what there is.
    package init(_ numbers: NumberFormat, behind bytes: consuming [UInt8]) {
        self.numbers = numbers
        self.bytes = bytes
    }

    /// Takes out what was written.
    package mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    package mutating func add(_ word: UInt64) {
        var rest = word
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package mutating func add(_ number: Int) { add(numbers.word(number)) }

    package mutating func add(_ content: [UInt8]) {
        add(UInt64(content.count))
        bytes += content
    }

    package mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    package mutating func add<Value>(_ value: Value?, _ add: (inout RecordWriter, Value) -> Void) {
        bytes.append(value == nil ? 0 : 1)
        if let value { add(&self, value) }
    }

    package mutating func add(byte: UInt8) { bytes.append(byte) }

    package mutating func add(checksum: UInt64) {
        withUnsafeBytes(of: checksum.littleEndian) { bytes += $0 }
    }

    /// Adds fields that are encoded already.
    package mutating func add(encoded fields: UnsafeRawBufferPointer) { bytes += fields }
}

/// How the word of a signed number is made. Stored records decide it.
package enum NumberFormat: Sendable {
    /// The bits of the number: the records of an SQLite file, in which no number is below zero.
    case plain
    /// ZigZag, which is short for small numbers below zero too: the records in Redis.
    case zigZag

    package func word(_ number: Int) -> UInt64 {
        switch self {
        case .plain: UInt64(bitPattern: Int64(number))
        case .zigZag: UInt64(bitPattern: Int64(number << 1 ^ number >> 63))
        }
    }

    package func number(_ word: UInt64) -> Int {
        switch self {
        case .plain: Int(bitPattern: UInt(word))
        case .zigZag: Int(bitPattern: UInt(word >> 1)) ^ -Int(bitPattern: UInt(word & 1))
        }
    }
}
