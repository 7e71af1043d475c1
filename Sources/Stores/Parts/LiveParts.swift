/// The removable parts of the state that effects, and the intervals of throttled effects, belong to.
///
/// After each commit every part is looked at once, however many effects it has. The elements of one collection are kept together:
/// a collection that tells what has changed in it is asked for that, and none of its elements is looked at for the others.
@usableFromInline
package struct LiveParts: Sendable {
    /// The parts behind the elements of one collection.
    private struct Collection: Sendable {
        /// The steps to the collection; of collections inside of others, to the outermost.
        let way: [PathStep]
        var parts: [PathStep: Set<EffectPath>] = [:]
        /// That of the collection when it was looked at; nil if it was not, or if none was kept.
        var version: CollectionVersion?
        /// Whether the collection is still that version.
        var check: VersionCheck?
    }

    /// The parts that are not behind an element.
    private var others: Set<EffectPath> = []
    /// Few: a state has not many collections.
    private var collections: [Collection] = []
    /// The number of parts.
    private var count = 0

    init() {}

    @usableFromInline var isEmpty: Bool { count == 0 }

    mutating func insert(_ path: EffectPath) {
        let isNew =
            if let place = path.steps.firstIndex(where: \.isElement) {
                collections[index(of: path.steps[..<place])].parts[path.steps[place], default: []].insert(path).inserted
            } else {
                others.insert(path).inserted
            }
        if isNew { count += 1 }
    }

    /// The place of a collection, which is added if it is missing.
    private mutating func index(of way: ArraySlice<PathStep>) -> Int {
        if let index = collections.firstIndex(where: { $0.way.elementsEqual(way) }) { return index }
        collections.append(Collection(way: Array(way)))
        return collections.count - 1
    }

    private mutating func remove(_ path: EffectPath) {
        guard let place = path.steps.firstIndex(where: \.isElement) else {
            if others.remove(path) != nil { count -= 1 }
            return
        }
        let (way, element) = (path.steps[..<place], path.steps[place])
        guard let index = collections.firstIndex(where: { $0.way.elementsEqual(way) }),
            collections[index].parts[element]?.remove(path) != nil
        else { return }
        count -= 1
        if collections[index].parts[element]?.isEmpty == true { collections[index].parts[element] = nil }
        if collections[index].parts.isEmpty { collections.remove(at: index) }
    }

    /// Forgets the parts without effects, if they are more than those with effects.
    ///
    /// - Parameter users: the parts of all effects and intervals, each as often as it has some.
    mutating func forgetUnused(_ users: @autoclosure () -> [EffectPath], count userCount: Int) {
        guard count > 2 * userCount else { return }
        let used = Set(users())
        for path in all where !used.contains(path) { remove(path) }
    }

    private var all: [EffectPath] { others + collections.flatMap { $0.parts.values.flatMap { $0 } } }

    /// Whether no part can be gone, because nothing has changed where the parts are.
    ///
    /// - Parameter state: the place of the whole state.
    func areUnchanged(in state: UnsafeRawPointer) -> Bool {
        others.isEmpty && collections.allSatisfy { $0.check?(state) == true }
    }

    /// Looks at each part, and removes those that are gone.
    ///
    /// - Parameters:
    ///   - isGone: whether a part is gone.
    ///   - look: looks at the elements of the collection that the steps lead to.
    ///   - check: a check whether the collection that the steps lead to is still that version; nil if there is no quick one.
    mutating func takeGone(
        isGone: (EffectPath) -> Bool, look: ([PathStep], inout ElementLook) -> Void,
        check: ([PathStep], CollectionVersion) -> VersionCheck?
    ) -> Set<EffectPath> {
        var gone = others.filter(isGone)
        for index in collections.indices {
            let way = collections[index].way
            var found = ElementLook(collections[index].parts, collections[index].version)
            look(way, &found)
            collections[index].version = found.version
            collections[index].check = found.version.flatMap { check(way, $0) }
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
    private let last: CollectionVersion?
    /// That of the collection now; nil if it was not looked at, or if none is kept.
    private(set) var version: CollectionVersion?
    /// The parts that were found gone.
    private(set) var gone: Set<EffectPath> = []

    init(_ parts: [PathStep: Set<EffectPath>], _ last: CollectionVersion?) {
        self.parts = parts
        self.last = last
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
        // Several middlewares may look at one collection, each with parts of its own inside of the elements.
        let changed = last.flatMap { tracker?.changes(elements, $0) }
        version = changed?.isEmpty == true ? last : tracker?.version(elements, parts.count)
        for element in changed ?? Array(parts.keys) { look(at: element, in: elements, isGone) }
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
