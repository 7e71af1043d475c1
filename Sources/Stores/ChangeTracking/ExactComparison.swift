import Platform

/// Decides whether two values are the same to the byte of their texts.
///
/// Swift compares texts by canonical equivalence: `é` as one code point equals `e` with an accent. Clients and other services
/// compare bytes, so a change from one to the other is a change, and two such keys are two keys.
@usableFromInline
package enum ExactComparison {
    /// Whether the values are equal and their texts have the same bytes.
    ///
    /// Equal memory answers at once. Only values that are equal and differ in memory, such as two copies of a long text, are
    /// walked through.
    @inlinable
    package static func areSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
        // Known to the compiler, so that numbers are compared as before.
        if _isPOD(Value.self) { return one == other }
        if haveSameMemory(one, other) { return true }
        return one == other && haveSameText(one, other)
    }

    /// Whether both values have the same bits. Objects that they refer to are then the same ones.
    @inlinable
    static func haveSameMemory<Value>(_ one: Value, _ other: Value) -> Bool {
        withUnsafeBytes(of: one) { one in
            withUnsafeBytes(of: other) { other in areEqual(one, other) }
        }
    }

    @usableFromInline
    static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard let first = one.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, one.count) == 0
    }

    /// Whether the texts in two equal values have the same bytes.
    ///
    /// A value that does not show its members counts as another.
    @usableFromInline
    static func haveSameText<Value>(_ one: Value, _ other: Value) -> Bool { haveSameText(one, other, depth: 0) }

    /// Objects may refer to each other in a circle.
    private static let maxDepth = 64

    static func haveSameText<Value>(_ one: Value, _ other: Value, depth: Int) -> Bool {
        if _isPOD(Value.self) { return true }
        if let one = one as? any TextContainer { return one.hasSameText(as: other, depth: depth) }
        guard depth < maxDepth else { return false }
        return haveSameMembers(one, other, depth: depth + 1)
    }

    private static func haveSameMembers(_ one: Any, _ other: Any, depth: Int) -> Bool {
        let (members, others) = (Mirror(reflecting: one), Mirror(reflecting: other))
        if members.displayStyle == .class, one as AnyObject === other as AnyObject { return true }
        guard members.children.count == others.children.count else { return false }
        if members.children.isEmpty, members.displayStyle != .enum, one is any CustomReflectable { return false }
        return zip(members.children, others.children).allSatisfy { haveSameText(opening: $0.value, $1.value, depth) }
    }

    /// Compares values by their own type, which tells numbers at once.
    private static func haveSameText(opening one: Any, _ other: Any, _ depth: Int) -> Bool {
        func open<Value>(_ one: Value) -> Bool {
            guard let other = other as? Value else { return false }
            return haveSameText(one, other, depth: depth)
        }
        return _openExistential(one, do: open)
    }
}

/// A value of the standard library that is a text or contains some.
protocol TextContainer {
    /// - Parameter other: an equal value.
    func hasSameText(as other: Any, depth: Int) -> Bool
}

extension StringProtocol {
    fileprivate func hasSameBytes(as other: Any) -> Bool {
        guard let other = other as? Self else { return false }
        return utf8.elementsEqual(other.utf8)
    }
}

extension String: TextContainer {
    func hasSameText(as other: Any, depth: Int) -> Bool { hasSameBytes(as: other) }
}

extension Substring: TextContainer {
    func hasSameText(as other: Any, depth: Int) -> Bool { hasSameBytes(as: other) }
}

extension Character: TextContainer {
    func hasSameText(as other: Any, depth: Int) -> Bool {
        guard let other = other as? Character else { return false }
        return utf8.elementsEqual(other.utf8)
    }
}

extension Optional: TextContainer {
    func hasSameText(as other: Any, depth: Int) -> Bool {
        switch (self, other as? Wrapped?) {
        case (let one?, .some(let other?)): ExactComparison.haveSameText(one, other, depth: depth)
        case (nil, .some(nil)): true
        default: false
        }
    }
}

extension Array: TextContainer {
    func hasSameText(as other: Any, depth: Int) -> Bool {
        guard let other = other as? [Element], count == other.count else { return false }
        if _isPOD(Element.self) { return true }
        return zip(self, other).allSatisfy { ExactComparison.haveSameText($0, $1, depth: depth) }
    }
}

extension Set: TextContainer {
    func hasSameText(as other: Any, depth: Int) -> Bool {
        guard let other = other as? Set, count == other.count else { return false }
        if _isPOD(Element.self) { return true }
        return allSatisfy { element in
            other.firstIndex(of: element).map { ExactComparison.haveSameText(element, other[$0], depth: depth) } == true
        }
    }
}

extension Dictionary: TextContainer {
    func hasSameText(as other: Any, depth: Int) -> Bool {
        guard let other = other as? Dictionary, count == other.count else { return false }
        return allSatisfy { key, value in
            guard let index = other.index(forKey: key) else { return false }
            return ExactComparison.haveSameText(key, other[index].key, depth: depth)
                && ExactComparison.haveSameText(value, other[index].value, depth: depth)
        }
    }
}

/// A key or an id that is the same only to the byte.
@usableFromInline
struct ExactKey<ID: Hashable>: Hashable {
    @usableFromInline let id: ID

    @inlinable
    init(_ id: ID) { self.id = id }

    @inlinable
    static func == (one: ExactKey, other: ExactKey) -> Bool { ExactComparison.areSame(one.id, other.id) }

    @inlinable
    func hash(into hasher: inout Hasher) { id.hash(into: &hasher) }

    /// Numbers have a hash of their own, which is faster.
    @inlinable
    func _rawHashValue(seed: Int) -> Int { id._rawHashValue(seed: seed) }
}

extension ExactKey: Sendable where ID: Sendable {}

/// Rows by id, each id to the byte.
@usableFromInline
struct RowTable<ID: Hashable & Sendable>: Sendable {
    @usableFromInline var rows: [ExactKey<ID>: Int32]

    @inlinable
    init(minimumCapacity: Int = 0) { rows = Dictionary(minimumCapacity: minimumCapacity) }

    @inlinable
    subscript(id: ID) -> Int32? {
        get { rows[ExactKey(id)] }
        set { rows[ExactKey(id)] = newValue }
    }

    @inlinable
    mutating func removeValue(forKey id: ID) -> Int32? { rows.removeValue(forKey: ExactKey(id)) }
}
