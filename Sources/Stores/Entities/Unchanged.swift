import Locks

// The one place that decides whether an entity has changed. A change that is not seen is lost to every reader, and one that is
// seen without need only costs a comparison later. So an entity counts as unchanged only if nothing of it differs.

/// Whether a value counts as unchanged: it is equal, and all of its texts and numbers have the same bytes.
///
/// Equality is not enough. Texts may be equal and have other bytes, and 0 equals -0: as JSON they differ.
@usableFromInline
package func countsAsUnchanged<Value: Equatable>(_ old: Value, _ new: Value) -> Bool {
    ExactComparison.areSame(old, new) && (ExactComparison.haveSameMemory(old, new) || haveSameZeros(old, new))
}

/// Decides for a value whose type is not known to be `Equatable`. A value without equality always counts as changed.
@usableFromInline
package func countsAsUnchanged<Value>(_ old: Value, _ new: Value) -> Bool {
    func open<Known: Equatable>(_ type: Known.Type) -> Bool {
        guard let old = old as? Known, let new = new as? Known else { return false }
        return countsAsUnchanged(old, new)
    }
    return (Value.self as? any Equatable.Type).map { open($0) } ?? false
}

/// Whether a change of the value is to be compared with a copy of it, although the caller knows no equality.
///
/// While a copy exists, a change copies the collections inside of the value that it touches. So a value with collections is
/// changed in place, and counts as changed.
@usableFromInline
func isComparedWhenChanged<Value>(_ value: Value) -> Bool {
    guard Value.self is any Equatable.Type else { return false }
    if _isPOD(Value.self) { return true }
    let type = ObjectIdentifier(Value.self)
    if let isFlat = flatTypes.withLock({ $0[type] }) { return isFlat }
    let isFlat = isFlat(value)
    flatTypes.withLock { $0[type] = isFlat }
    return isFlat
}

/// Whether the types that were asked for have no collections. Nothing is called while it is held.
private let flatTypes = Locked<[ObjectIdentifier: Bool]>([:])

private func isFlat(_ value: Any) -> Bool {
    if value is String || value is String? || value is Character || isPlain(value) { return true }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    // Of a custom mirror, and of another case of an enumeration, nothing is known.
    case .struct, .tuple:
        return !(value is any CustomReflectable) && !mirror.children.isEmpty
            && mirror.children.allSatisfy { isFlat($0.value) }
    default: return false
    }
}

/// Whether the value holds no reference.
private func isPlain(_ value: Any) -> Bool {
    func isPlain<Value>(_ value: Value) -> Bool { _isPOD(Value.self) }
    return _openExistential(value, do: isPlain)
}

/// Whether the zeros in two equal values have the same signs. False if that is not found out.
private func haveSameZeros(_ one: Any, _ other: Any, depth: Int = 0) -> Bool {
    if let one = one as? any FloatingPoint { return one.sign == (other as? any FloatingPoint)?.sign }
    // Objects may refer to each other in a circle.
    guard depth < 64 else { return false }
    return zip(Mirror(reflecting: one).children, Mirror(reflecting: other).children).allSatisfy {
        haveSameZeros($0.value, $1.value, depth: depth + 1)
    }
}
