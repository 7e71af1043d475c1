/// The removable parts of the state that effects, and the intervals of throttled effects, belong to.
///
/// After each commit every part is looked at once, however many effects it has. The elements of one collection are kept together:
/// a collection that tells what has changed in it is asked for that, and none of its elements is looked at for the others.
@usableFromInline
package struct LiveParts: Sendable {
    /// The parts behind the elements of one collection.
    private struct Collection: Sendable {
        var parts: [PathStep: Set<EffectPath>] = [:]
        /// That of the collection when it was looked at; nil if it was not, or if it has none.
        var stamp: ChangeToken?
    }

    /// The parts that are not behind an element.
    private var others: Set<EffectPath> = []
    /// By the way to the collection; of collections inside of others, the outermost.
    private var collections: [[PathStep]: Collection] = [:]
    /// The number of parts.
    private var count = 0

    init() {}

    @usableFromInline var isEmpty: Bool { count == 0 }

    mutating func insert(_ path: EffectPath) {
        let isNew =
            if let place = path.steps.firstIndex(where: \.isElement) {
                collections[Array(path.steps[..<place]), default: Collection()]
                    .parts[path.steps[place], default: []].insert(path).inserted
            } else {
                others.insert(path).inserted
            }
        if isNew { count += 1 }
    }

    private mutating func remove(_ path: EffectPath) {
        guard let place = path.steps.firstIndex(where: \.isElement) else {
            if others.remove(path) != nil { count -= 1 }
            return
        }
        let (way, element) = (Array(path.steps[..<place]), path.steps[place])
        guard collections[way]?.parts[element]?.remove(path) != nil else { return }
        count -= 1
        if collections[way]?.parts[element]?.isEmpty == true { collections[way]?.parts[element] = nil }
        if collections[way]?.parts.isEmpty == true { collections[way] = nil }
    }

    /// Forgets the parts without effects, if they are more than those with effects.
    ///
    /// - Parameter users: the parts of all effects and intervals, each as often as it has some.
    mutating func forgetUnused(_ users: @autoclosure () -> [EffectPath], count userCount: Int) {
        guard count > 2 * userCount else { return }
        let used = Set(users())
        for path in all where !used.contains(path) { remove(path) }
    }

    private var all: [EffectPath] { others + collections.values.flatMap { $0.parts.values.flatMap { $0 } } }

    /// Looks at each part, and removes those that are gone.
    ///
    /// - Parameters:
    ///   - isGone: whether a part is gone.
    ///   - look: looks at the elements of the collection that the steps lead to.
    mutating func takeGone(
        isGone: (EffectPath) -> Bool, look: ([PathStep], inout ElementLook) -> Void
    ) -> Set<EffectPath> {
        var gone = others.filter(isGone)
        for index in collections.indices {
            let (way, collection) = collections[index]
            var found = ElementLook(collection.parts, collection.stamp)
            look(way, &found)
            collections.values[index].stamp = found.stamp
            gone.formUnion(found.gone)
        }
        for path in gone { remove(path) }
        return gone
    }
}

/// A look at the elements of one collection that have effects.
@usableFromInline
package struct ElementLook {
    private let parts: [PathStep: Set<EffectPath>]
    private let lastStamp: ChangeToken?
    /// That of the collection now; nil if it has none.
    private(set) var stamp: ChangeToken?
    /// The parts that were found gone.
    private(set) var gone: Set<EffectPath> = []

    init(_ parts: [PathStep: Set<EffectPath>], _ lastStamp: ChangeToken?) {
        self.parts = parts
        self.lastStamp = lastStamp
    }

    /// The collection itself is gone.
    @usableFromInline
    mutating func removeAll() { for paths in parts.values { gone.formUnion(paths) } }

    /// Looks at the elements of `elements`, or at those that have changed since the last look.
    ///
    /// - Parameters:
    ///   - tracker: nil for a collection that does not tell what has changed.
    ///   - isGone: whether the part of an element that the steps lead to is gone.
    @usableFromInline
    package mutating func look<Elements: KeyedElements & Sendable>(
        at elements: Elements, _ tracker: ElementTracker<Elements>?,
        isGone: ((ArraySlice<PathStep>, Elements.Value) -> Bool)?
    ) where Elements.Key: Sendable {
        if let tracker {
            stamp = tracker.stamp(elements)
            if stamp == lastStamp { return }
            if let lastStamp, let keys = tracker.changedKeys(elements, lastStamp) {
                for key in keys { look(at: .identified(by: key), in: elements, isGone) }
                return
            }
        }
        for element in parts.keys { look(at: element, in: elements, isGone) }
    }

    private mutating func look<Elements: KeyedElements>(
        at element: PathStep, in elements: Elements, _ isGone: ((ArraySlice<PathStep>, Elements.Value) -> Bool)?
    ) {
        guard let paths = parts[element], let key = element.elementKey(as: Elements.Key.self) else { return }
        guard let value = elements.element(of: key), .element(key, value) == element else {
            return gone.formUnion(paths)
        }
        guard let isGone else { return }
        for path in paths {
            let rest = path.steps.drop { !$0.isElement }.dropFirst()
            if !rest.isEmpty, isGone(rest, value) { gone.insert(path) }
        }
    }
}

/// A collection of entities that tells which of them have changed.
package protocol TrackedElements: KeyedElements, ChangeTracked, Sendable where Value: Identifiable, Value.ID == Key {
    /// The keys of the elements that were removed, moved or changed since that version; nil if they are not known.
    func changedKeys(since stamp: ChangeToken) -> [Key]?
}

/// ``TrackedElements`` of a type that is not known to conform.
@usableFromInline
package struct ElementTracker<Elements: KeyedElements & Sendable>: Sendable where Elements.Key: Sendable {
    let stamp: @Sendable (Elements) -> ChangeToken?
    let changedKeys: @Sendable (Elements, ChangeToken) -> [Elements.Key]?

    /// Nil if the type does not conform.
    @usableFromInline
    package init?() {
        func open<Tracked: TrackedElements>(_ type: Tracked.Type) -> ElementTracker {
            ElementTracker(
                stamp: { ($0 as? Tracked)?.stamp },
                changedKeys: { ($0 as? Tracked)?.changedKeys(since: $1) as? [Elements.Key] })
        }
        guard let type = Elements.self as? any TrackedElements.Type else { return nil }
        self = open(type)
    }

    private init(
        stamp: @escaping @Sendable (Elements) -> ChangeToken?,
        changedKeys: @escaping @Sendable (Elements, ChangeToken) -> [Elements.Key]?
    ) {
        self.stamp = stamp
        self.changedKeys = changedKeys
    }
}

extension EntityTable: TrackedElements {
    package func changedKeys(since stamp: ChangeToken) -> [Entity.ID]? {
        changes(since: stamp).map { $0.removed.map(\.id) + $0.updated + $0.moved.map(\.id) }
    }
}

extension SortedEntityTable: TrackedElements {
    package func changedKeys(since stamp: ChangeToken) -> [Entity.ID]? { table.changedKeys(since: stamp) }
}
