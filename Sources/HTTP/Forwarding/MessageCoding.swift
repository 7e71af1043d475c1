/// Numbers and texts of a message as another server gets it: each text has its length in front, in groups of 7 bits, lowest first.
struct MessageWriter {
    private(set) var bytes: [UInt8]

    /// - Parameter start: comes first, as it is.
    init(_ start: [UInt8] = [], reservingCapacity capacity: Int) {
        bytes = start
        bytes.reserveCapacity(start.count + capacity)
    }

    mutating func add(_ number: Int) {
        var rest = UInt(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ text: String) {
        add(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ text: UnsafeRawBufferPointer) {
        add(text.count)
        bytes.append(contentsOf: text)
    }
}

struct MessageReader {
    /// The bytes are no message.
    struct Malformed: Error {}

    let bytes: UnsafeRawBufferPointer
    private(set) var index = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    /// A number below 2^28.
    mutating func number() throws(Malformed) -> Int {
        var number = 0
        for shift in stride(from: 0, to: 28, by: 7) {
            guard index < bytes.count else { throw Malformed() }
            let byte = bytes[index]
            index += 1
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw Malformed()
    }

    /// The place of a text.
    mutating func text() throws(Malformed) -> Range<Int> {
        let length = try number()
        guard length <= bytes.count - index else { throw Malformed() }
        defer { index += length }
        return index..<(index + length)
    }

    /// The name of a field.
    mutating func name() throws(Malformed) -> Range<Int> {
        let name = try text()
        guard !name.isEmpty, bytes.end(of: .token, from: name.lowerBound, to: name.upperBound) == name.upperBound else {
            throw Malformed()
        }
        return name
    }

    /// The value of a field.
    mutating func value() throws(Malformed) -> Range<Int> {
        let value = try text()
        var index = bytes.firstControl(from: value.lowerBound, to: value.upperBound, below: ASCII.space)
        while index < value.upperBound, bytes[index] == ASCII.tab {
            index = bytes.firstControl(from: index &+ 1, to: value.upperBound, below: ASCII.space)
        }
        guard index == value.upperBound else { throw Malformed() }
        return value
    }

    func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
