/// A version of a collection, to be compared with a later one.
@usableFromInline
package enum CollectionVersion: Sendable {
    /// The token of a table.
    case stamp(ChangeToken)
    /// A ``CollectionCopy``.
    case copy(any AnyObject & Sendable)
}

/// Whether the collection in a state is still that of a version. The argument is the place of the state.
@usableFromInline
package typealias VersionCheck = @Sendable (UnsafeRawPointer) -> Bool

/// How a collection tells what has changed in it.
///
/// A table has a token for each version. An array and a dictionary have none, so a copy stands for a version. It shares the memory of the
/// collection until that changes: equal memory means that nothing has changed, and the first change copies the collection.
@usableFromInline
package struct ElementTracker<Elements: KeyedElements & Sendable>: Sendable where Elements.Key: Sendable {
    /// The version of a collection, in which so many elements have effects; nil if it is not kept.
    let version: @Sendable (Elements, _ partCount: Int) -> CollectionVersion?
    /// The steps, as of that version, to the elements that were removed, moved or changed since then; nil if they are not known.
    let changes: @Sendable (Elements, CollectionVersion) -> [PathStep]?
    /// Tells quickly whether a collection has changed at all.
    @usableFromInline let check: @Sendable (CollectionVersion) -> VersionCheck?

    /// Nil for a type that does not tell.
    ///
    /// Inlinable, so that the elements of an array and of a dictionary are compared by their type.
    @inlinable
    package init?() {
        if Elements.self == [Elements.Value].self {
            self.init(count: Self.arrayCount, changes: Self.arrayChanges)
        } else if Elements.self == [Elements.Key: Elements.Value].self {
            self.init(count: Self.dictionaryCount, changes: Self.dictionaryChanges)
        } else if let type = Elements.self as? any TrackedElements.Type {
            self.init(tracked: type)
        } else {
            return nil
        }
    }

    /// - Parameter type: the type of the elements.
    @usableFromInline
    init<Tracked: TrackedElements>(tracked type: Tracked.Type) {
        version = { elements, _ in (elements as? Tracked).map { .stamp($0.stamp) } }
        changes = { elements, last in
            guard case .stamp(let last) = last, let elements = elements as? Tracked else { return nil }
            if elements.stamp == last { return [] }
            return elements.changedKeys(since: last)?.map { .identified(by: $0) }
        }
        check = { version in
            guard case .stamp(let last) = version else { return nil }
            return { $0.assumingMemoryBound(to: Tracked.self).pointee.stamp == last }
        }
    }

    /// A tracker of copies.
    ///
    /// - Parameters:
    ///   - count: the number of elements.
    ///   - changes: the steps, as of the second collection, to the elements that differ from it in the first.
    @usableFromInline
    init(
        count: @escaping @Sendable (Elements) -> Int,
        changes changesBetween: @escaping @Sendable (Elements, Elements) -> [PathStep]?
    ) {
        version = { elements, partCount in
            // To copy all of them must not take longer than to look at those with effects.
            count(elements) <= 8 * partCount ? .copy(CollectionCopy(elements)) : nil
        }
        changes = { elements, last in
            guard case .copy(let copy) = last, let copy = copy as? CollectionCopy<Elements> else { return nil }
            return ExactComparison.haveSameMemory(elements, copy.elements)
                ? [] : changesBetween(elements, copy.elements)
        }
        check = { version in
            guard case .copy(let copy) = version, let copy = copy as? CollectionCopy<Elements> else { return nil }
            return { place in
                withUnsafeBytes(of: copy.elements) { copy in
                    ExactComparison.areEqual(UnsafeRawBufferPointer(start: place, count: copy.count), copy)
                }
            }
        }
    }
}

/// A collection of entities that tells which of them have changed.
@usableFromInline
package protocol TrackedElements: KeyedElements, ChangeTracked, Sendable where Value: Identifiable, Value.ID == Key {
    /// The keys of the elements that were removed, moved or changed since that version; nil if they are not known.
    func changedKeys(since stamp: ChangeToken) -> [Key]?
}

extension EntityTable: TrackedElements {
    @usableFromInline
    package func changedKeys(since stamp: ChangeToken) -> [Entity.ID]? {
        changes(since: stamp).map { $0.removed.map(\.id) + $0.updated + $0.moved.map(\.id) }
    }
}

extension SortedEntityTable: TrackedElements {
    @usableFromInline
    package func changedKeys(since stamp: ChangeToken) -> [Entity.ID]? { table.changedKeys(since: stamp) }
}

/// A copy of a collection.
private final class CollectionCopy<Elements: Sendable>: Sendable {
    let elements: Elements

    init(_ elements: Elements) { self.elements = elements }
}

// The casts hold: the initializer has compared the types.
extension ElementTracker {
    @inlinable
    static func arrayCount(_ elements: Elements) -> Int { unsafeBitCast(elements, to: [Elements.Value].self).count }

    @inlinable
    static func dictionaryCount(_ elements: Elements) -> Int {
        unsafeBitCast(elements, to: [Elements.Key: Elements.Value].self).count
    }

    @inlinable
    static func arrayChanges(_ now: Elements, _ earlier: Elements) -> [PathStep]? {
        let (now, earlier) = (
            unsafeBitCast(now, to: [Elements.Value].self), unsafeBitCast(earlier, to: [Elements.Value].self)
        )
        let common = Swift.min(now.count, earlier.count)
        var changed: [Int] = []
        now.withUnsafeBytes { now in
            earlier.withUnsafeBytes { earlier in
                findChanges(in: 0..<common, MemoryLayout<Elements.Value>.stride, now, earlier, &changed)
            }
        }
        return (changed + Array(common..<earlier.count)).map { .element($0, earlier[$0]) }
    }

    /// Halves the range until one element is left, so that equal stretches are compared at once.
    @usableFromInline
    static func findChanges(
        in range: Range<Int>, _ stride: Int, _ now: UnsafeRawBufferPointer, _ earlier: UnsafeRawBufferPointer,
        _ changed: inout [Int]
    ) {
        let bytes = range.lowerBound * stride..<range.upperBound * stride
        if range.isEmpty || ExactComparison.areEqual(.init(rebasing: now[bytes]), .init(rebasing: earlier[bytes])) {
            return
        }
        guard range.count > 1 else { return changed.append(range.lowerBound) }
        let middle = range.lowerBound + range.count / 2
        findChanges(in: range.lowerBound..<middle, stride, now, earlier, &changed)
        findChanges(in: middle..<range.upperBound, stride, now, earlier, &changed)
    }

    /// A copy has the order of the original until a key is added or removed. In another order nothing is known.
    @inlinable
    static func dictionaryChanges(_ now: Elements, _ earlier: Elements) -> [PathStep]? {
        typealias Rows = [Elements.Key: Elements.Value]
        let (now, earlier) = (unsafeBitCast(now, to: Rows.self), unsafeBitCast(earlier, to: Rows.self))
        guard now.count == earlier.count else { return nil }
        var changed: [PathStep] = []
        for (now, earlier) in zip(now, earlier) {
            guard ExactComparison.haveSameMemory(now.key, earlier.key) else { return nil }
            if !ExactComparison.haveSameMemory(now.value, earlier.value) {
                changed.append(.element(earlier.key, earlier.value))
            }
        }
        return changed
    }
}
