/// A set of members of a state, by their places.
@usableFromInline
struct MemberSet: Sendable, Equatable {
    /// The bit of each place. The places from 63 on share the last one.
    @usableFromInline let bits: UInt64

    @usableFromInline static let all = MemberSet(bits: .max)

    @usableFromInline
    init(bits: UInt64) { self.bits = bits }

    init(_ places: some Sequence<Int>) { bits = places.reduce(0) { $0 | Self.bit(of: $1) } }

    @inlinable
    static func bit(of place: Int) -> UInt64 { 1 << UInt64(min(place, 63)) }

    @inlinable
    func contains(_ place: Int) -> Bool { bits & Self.bit(of: place) != 0 }

    func intersects(_ other: MemberSet) -> Bool { bits & other.bits != 0 }
}
