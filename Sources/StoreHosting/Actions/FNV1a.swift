/// A hash of 64 bits that is the same in every process: FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv).
@usableFromInline
package struct FNV1a: Sendable {
    /// The hash of the bytes so far.
    @usableFromInline package var value: UInt64 = 0xcbf2_9ce4_8422_2325

    @inlinable
    package init() {}

    @inlinable
    package mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
