/// Where one field line's name and value stand in the bytes of its section. White space around the value is outside.
struct FieldLine: Sendable, Hashable {
    private let nameStart: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32

    /// The offsets fit: a head is far shorter than 2^32 bytes (see `HTTPLimits`).
    init(name: Range<Int>, value: Range<Int>) {
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
    }

    @inline(__always)
    var name: Range<Int> { Range(uncheckedBounds: (Int(nameStart), Int(nameEnd))) }
    @inline(__always)
    var value: Range<Int> { Range(uncheckedBounds: (Int(valueStart), Int(valueEnd))) }
}
