/// The parts of a composed reducer that ignored an action which another part accepts.
///
/// They are not reduced, and their middleware does not see the commit. A list of few parts needs no memory for it.
@usableFromInline
package struct Abstentions: Sendable {
    /// A bit for each of the first 64 parts of the list.
    @usableFromInline var bits: UInt64 = 0
    @usableFromInline var more: More?

    @usableFromInline
    final class More: Sendable {
        /// The later parts.
        let places: Set<Int>
        /// By the place of a part that is composed itself.
        let nested: [Int: Abstentions]

        init(_ places: Set<Int> = [], _ nested: [Int: Abstentions] = [:]) {
            self.places = places
            self.nested = nested
        }
    }

    /// None.
    @inlinable
    package init() {}

    @inlinable package var isEmpty: Bool { bits == 0 && more == nil }

    /// Adds the part in this place of the list.
    @inlinable
    mutating func insert(_ place: Int) {
        if place < 64 { bits |= 1 << UInt64(place) } else { insertLater(place) }
    }

    @usableFromInline
    mutating func insertLater(_ place: Int) {
        more = More((more?.places ?? []).union([place]), more?.nested ?? [:])
    }

    /// Adds the parts inside of the part in this place.
    @usableFromInline
    mutating func insert(_ inside: Abstentions, in place: Int) {
        more = More(more?.places ?? [], (more?.nested ?? [:]).merging([place: inside]) { $1 })
    }

    /// Whether the part in this place of the list ignored the action.
    @inlinable
    func contain(_ place: Int) -> Bool {
        place < 64 ? bits & 1 << UInt64(place) != 0 : containLater(place)
    }

    @usableFromInline
    func containLater(_ place: Int) -> Bool { more?.places.contains(place) == true }

    /// The parts inside of the part in this place that ignored the action.
    @inlinable
    func inside(_ place: Int) -> Abstentions { more == nil ? Abstentions() : nested(in: place) }

    @usableFromInline
    func nested(in place: Int) -> Abstentions { more?.nested[place] ?? Abstentions() }

    /// Whether a part ignored the action, or one around it did.
    ///
    /// - Parameter path: the places that lead to the part, the outermost first.
    @usableFromInline
    package func contain(_ path: [Int]) -> Bool {
        var list = self
        for place in path {
            if list.contain(place) { return true }
            list = list.inside(place)
        }
        return false
    }
}
