/// Runs a reducer on the element with a given key. An action for an element that is gone is ignored.
///
///     Scope(\.tasks, .task, ForEach(TaskReducer()))
///
/// The elements are in an ``EntityTable`` (the key is the id), a dictionary, or an array (the key is the index).
public struct ForEach<Elements: KeyedElements & Sendable, Part: Reducer>: ComposedReducer
where Elements.Key: Sendable, Elements.Value == Part.State {
    public let body: AnyReducer<Elements, ElementAction<Elements.Key, Part.Action>>

    /// Runs `part` on the element whose key is in the action.
    ///
    /// - Parameter part: the reducer of each element.
    @inlinable
    public init(_ part: Part) {
        let part = part.prepared
        body = AnyReducer(
            decide: { action, state, abstentions in
                guard let element = state.element(of: action.key) else { return .ignore }
                return part.decide(action.action, in: element, &abstentions)
            },
            reduce: { action, state, abstentions in
                state.changeElement(of: action.key) { part.reduce(&$0, action.action, abstentions) }
            }, middleware: part.middleware.map { $0.forEach() }, onlyFollows: part.onlyFollows)
    }
}

/// An action for one element of many.
public struct ElementAction<Key: Sendable, Action: Sendable>: Sendable {
    /// The key of the element.
    public let key: Key
    /// The action for the element.
    public let action: Action

    /// An action for the element with this key.
    @inlinable
    public init(_ key: Key, _ action: Action) {
        self.key = key
        self.action = action
    }
}

extension ElementAction: Equatable where Key: Equatable, Action: Equatable {}

/// A collection whose elements are read and changed by key.
public protocol KeyedElements<Key, Value> {
    /// The key of an element.
    associatedtype Key: Hashable
    /// An element.
    associatedtype Value

    /// The keys of all elements.
    var elementKeys: [Key] { get }

    /// The element with this key; nil if there is none.
    func element(of key: Key) -> Value?

    /// Changes the element with this key in place. Does not call `change` if there is none.
    mutating func changeElement(of key: Key, _ change: (inout Value) -> Void)
}

extension EntityTable: KeyedElements {
    @inlinable public var elementKeys: [Entity.ID] { [Entity.ID](ids) }

    @inlinable
    public func element(of key: Entity.ID) -> Entity? { self[key] }

    @inlinable
    public mutating func changeElement(of key: Entity.ID, _ change: (inout Entity) -> Void) { update(key, change) }
}

extension Dictionary: KeyedElements {
    @inlinable public var elementKeys: [Key] { [Key](keys) }

    @inlinable
    public func element(of key: Key) -> Value? { self[key] }

    @inlinable
    public mutating func changeElement(of key: Key, _ change: (inout Value) -> Void) {
        if let index = index(forKey: key) { change(&values[index]) }
    }
}

extension Array: KeyedElements {
    @inlinable public var elementKeys: [Int] { [Int](indices) }

    @inlinable
    public func element(of key: Int) -> Element? { indices.contains(key) ? self[key] : nil }

    @inlinable
    public mutating func changeElement(of key: Int, _ change: (inout Element) -> Void) {
        if indices.contains(key) { change(&self[key]) }
    }
}
