/// A 64-bit checksum of a row's fields, chained from row to row.
///
/// It detects damage, not forgery. Each step is invertible, so a single different word is always detected. The results
/// are stored in files, so the algorithm must never change.
package struct Checksum {
    package private(set) var value: UInt64

    /// - Parameter value: the checksum of the previous row.
    package init(_ value: UInt64) { self.value = value }

    package mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x9e37_79b9_7f4a_7c15
        value ^= value >> 29
    }

    package mutating func add(_ number: Int?) {
        add(UInt64(number == nil ? 1 : 0))
        add(UInt64(bitPattern: Int64(number ?? 0)))
    }

    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    package mutating func add(_ bytes: [UInt8]?) {
        guard let bytes else { return add(UInt64.max) }
        bytes.withUnsafeBytes { add($0) }
    }

    /// Adds the length too, so that bytes cannot move from one field to the next unnoticed.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        guard offset < bytes.count else { return }
        var last: UInt64 = 0
        for byte in bytes[offset...].reversed() { last = last << 8 | UInt64(byte) }
        add(last)
    }
}
