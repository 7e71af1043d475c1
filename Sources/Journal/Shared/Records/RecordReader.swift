/// Reads the fields of a record in the order in which a ``RecordWriter`` wrote them. The bytes must outlive it.
package struct RecordReader {
    /// The bytes are no such record.
    package struct Malformed: Error {
        package init() {}
    }

    private let bytes: UnsafeRawBufferPointer
    private let numbers: NumberFormat
    /// Where the next field begins.
    package private(set) var position: Int

    package init(_ numbers: NumberFormat, _ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
        self.bytes = bytes
        self.numbers = numbers
        self.position = position
    }

    package var isAtEnd: Bool { position == bytes.count }

    /// The bytes from `start` to the next field.
    package func read(from start: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    package mutating func byte() throws(Malformed) -> UInt8 {
        guard position < bytes.count else { throw Malformed() }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func word() throws(Malformed) -> UInt64 {
        var (number, shift) = (UInt64(0), UInt64(0))
        while shift < 64 {
            let byte = try byte()
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        throw Malformed()
    }

    package mutating func integer() throws(Malformed) -> Int { numbers.number(try word()) }

    /// The bytes of a text, in place.
    package mutating func field() throws(Malformed) -> UnsafeRawBufferPointer {
        guard let count = Int(exactly: try word()), count <= bytes.count - position else { throw Malformed() }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    package mutating func content() throws(Malformed) -> [UInt8] { Array(try field()) }

    package mutating func text() throws(Malformed) -> String {
        guard let text = String(validating: try field(), as: UTF8.self) else { throw Malformed() }
        return text
    }

    package mutating func optional<Value>(_ read: (inout RecordReader) throws(Malformed) -> Value) throws(Malformed)
        -> Value?
    {
        switch try byte() {
        case 0: nil
        case 1: try read(&self)
        default: throw Malformed()
        }
    }

    package mutating func checksum() throws(Malformed) -> UInt64 {
        guard bytes.count - position >= 8 else { throw Malformed() }
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// Throws if something follows.
    package func end() throws(Malformed) { if !isAtEnd { throw Malformed() } }

    /// Reads a record that begins with `bytes`.
    package static func read<Value>(
        _ numbers: NumberFormat, _ bytes: [UInt8], _ body: (inout RecordReader) throws(Malformed) -> Value
    ) throws(Malformed) -> Value {
        try bytes.withUnsafeBufferPointer { bytes throws(Malformed) in
            var record = RecordReader(numbers, UnsafeRawBufferPointer(bytes))
            return try body(&record)
        }
    }
}
