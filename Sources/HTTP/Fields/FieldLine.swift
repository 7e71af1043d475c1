/// The ranges of a field line's name and value in the bytes of the message. The value excludes surrounding white space.
struct FieldLine: Sendable, Hashable {
    private let nameStart: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32

    /// The offsets fit 32 bits because `HTTPLimits` limits the size of a head.
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
