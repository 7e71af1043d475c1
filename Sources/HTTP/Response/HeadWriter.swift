/// Writes the head of an answer, piece behind piece, into memory that has room for all of it: an array would ask at each
/// piece whether it is shared and large enough.
struct HeadWriter {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    private var used = 0

    /// Appends what `write` writes, `most` bytes at most.
    static func append(atMost most: Int, to output: inout [UInt8], _ write: (inout HeadWriter) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: most, alignment: 1) { room in
            guard let start = room.baseAddress else { return }
            var writer = HeadWriter(start: start, capacity: most)
            write(&writer)
            output.append(contentsOf: UnsafeRawBufferPointer(start: start, count: writer.used))
        }
    }

    private init(start: UnsafeMutableRawPointer, capacity: Int) {
        self.start = start
        self.capacity = capacity
    }

    /// Its length is known when the program is compiled, so that most are a store or two.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        bytes(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        precondition(bytes.count <= capacity - used, "a head was given too little room")
        (start + used).copyMemory(from: source, byteCount: bytes.count)
        used += bytes.count
    }

    @inline(__always)
    private mutating func byte(_ byte: UInt8) {
        withUnsafeBytes(of: byte) { bytes($0) }
    }

    /// Its bytes are nearly always at hand as one piece.
    mutating func text(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ bytes(UnsafeRawBufferPointer($0)) }) == nil {
            Array(text.utf8).withUnsafeBytes { bytes($0) }
        }
    }

    /// Writes a text with every control character but tab made a space, so that it cannot end its line.
    mutating func fieldValue(_ text: String) {
        var index = used
        self.text(text)
        let written = UnsafeMutableRawBufferPointer(start: start, count: used)
        while true {
            index = UnsafeRawBufferPointer(written).firstControl(from: index, to: used, below: ASCII.space)
            guard index < used else { return }
            if written[index] != ASCII.tab { written[index] = ASCII.space }
            index += 1
        }
    }

    /// Writes a number that is not negative in decimal digits.
    mutating func decimal(_ number: Int) {
        let (rest, last) = number.quotientAndRemainder(dividingBy: 10)
        if rest > 0 { decimal(rest) }
        byte(ASCII.zero + UInt8(truncatingIfNeeded: last))
    }
}
