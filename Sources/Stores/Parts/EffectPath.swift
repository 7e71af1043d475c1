import CPortable

/// The way from the root of a store to the part of the state that a middleware belongs to, the outermost step first.
@usableFromInline
package struct EffectPath: Hashable, Sendable {
    package let steps: [PathStep]
    /// Whether the part may be removed from the state.
    @usableFromInline package let mayEnd: Bool

    private init(_ steps: [PathStep]) {
        self.steps = steps
        mayEnd = steps.contains(where: \.mayEnd)
    }

    @usableFromInline package static let root = EffectPath([])

    @usableFromInline
    package func embedded(in part: PathStep?) -> EffectPath { part.map { EffectPath([$0] + steps) } ?? self }
}

/// One step of an ``EffectPath``.
@usableFromInline
package struct PathStep: Hashable, Sendable {
    enum Place: Hashable {
        /// A property of the state.
        case property(AnyKeyPath)
        /// The value of an optional.
        case wrapped
        /// The payload of a case. The number stands for the `ifCase` that leads to it.
        case payload(Int)
        /// All elements of a collection.
        case elements
        /// The element with this key.
        case element(AnyHashable)
    }

    // Safe although `nonisolated(unsafe)`: they hold key paths that are Sendable, and keys and ids of states, which are
    // Sendable. Nothing writes after `init`.
    nonisolated(unsafe) let place: Place
    nonisolated(unsafe) private let identity: AnyHashable?
    /// Whether it leads to a value that may be removed from the state.
    let mayEnd: Bool

    private init(_ place: Place, _ identity: AnyHashable? = nil, mayEnd: Bool = false) {
        self.place = place
        self.identity = identity
        self.mayEnd = mayEnd
    }

    /// The step to a property.
    @usableFromInline
    package init<Root, Value>(to property: any KeyPath<Root, Value> & Sendable) { self.init(.property(property)) }

    /// The step to the value of an optional, whichever that is.
    @usableFromInline package static var wrapped: PathStep { PathStep(.wrapped) }

    /// The step to the payload of a case, whichever that is.
    @usableFromInline
    package static func payload(_ number: Int) -> PathStep { PathStep(.payload(number)) }

    /// The step to all elements of a collection.
    @usableFromInline package static var elements: PathStep { PathStep(.elements) }

    /// The step to one element.
    @usableFromInline
    package static func element<Value>(_ key: some Hashable, _ value: Value) -> PathStep {
        PathStep(.element(AnyHashable(ExactKey(key))), id(of: value), mayEnd: true)
    }

    /// The step to an element whose key is its id.
    static func identified(by key: some Hashable) -> PathStep {
        PathStep(.element(AnyHashable(ExactKey(key))), AnyHashable(ExactKey(key)), mayEnd: true)
    }

    /// Whether it leads to one element.
    var isElement: Bool { if case .element = place { true } else { false } }

    /// The step to this value in the same place. If it has an id, a value with another id is not the same part.
    @usableFromInline
    package func holding<Value>(_ value: Value) -> PathStep { PathStep(place, Self.id(of: value), mayEnd: true) }

    @usableFromInline
    package func isInPlace(of other: PathStep) -> Bool { place == other.place }

    /// The key of an element.
    @usableFromInline
    package func elementKey<Key: Hashable>(as type: Key.Type = Key.self) -> Key? {
        if case .element(let key) = place { return (key.base as? ExactKey<Key>)?.id }
        return nil
    }

    /// A number for another case.
    @usableFromInline
    package static func nextCaseNumber() -> Int { Int(truncatingIfNeeded: next_unique_number()) }

    private static func id<Value>(of value: Value) -> AnyHashable? {
        func open<Part: Identifiable>(_ type: Part.Type) -> AnyHashable? {
            (value as? Part).map { AnyHashable(ExactKey($0.id)) }
        }
        // The type is asked, and not the value: most values have no id, and need not be copied.
        return (Value.self as? any Identifiable.Type).flatMap { open($0) }
    }
}
