/// Runs a reducer on one element of many, by its key; an action for an element that is gone is ignored.
///
///     Scope(\.tasks, .task, ForEach(TaskReducer()))
///
/// The elements stand in an ``EntityTable`` by their ids, in a dictionary by their keys, or in an array by their places.
public struct ForEach<Elements: KeyedElements & Sendable, Part: Reducer>: Reducer
where Elements.Key: Sendable, Elements.Value == Part.State {
    @usableFromInline let part: AnyReducer<Part.State, Part.Action>

    /// Runs `part` on the element that an action names.
    ///
    /// - Parameter part: the reducer of each element.
    @inlinable
    public init(_ part: Part) { self.part = part.prepared }

    @inlinable
    public func decide(_ action: ElementAction<Elements.Key, Part.Action>, in state: Elements) -> Decision {
        guard let element = state.element(of: action.key) else { return .ignore }
        return part.decide(action.action, in: element)
    }

    @inlinable
    public func reduce(_ state: inout Elements, _ action: ElementAction<Elements.Key, Part.Action>) {
        state.changeElement(of: action.key) { part.reduce(&$0, action.action) }
    }
}

/// An action for one element of many.
public struct ElementAction<Key: Sendable, Action: Sendable>: Sendable {
    /// Which element.
    public let key: Key
    /// What it is to do.
    public let action: Action

    /// An action for the element of that key.
    @inlinable
    public init(_ key: Key, _ action: Action) {
        self.key = key
        self.action = action
    }
}

extension ElementAction: Equatable where Key: Equatable, Action: Equatable {}

/// A collection whose elements are found and changed by a key.
public protocol KeyedElements<Key, Value> {
    /// What an element is found by.
    associatedtype Key
    /// An element.
    associatedtype Value

    /// The element of that key; nil where there is none.
    func element(of key: Key) -> Value?

    /// Changes the element of that key in place; without one, `change` is not called.
    mutating func changeElement(of key: Key, _ change: (inout Value) -> Void)
}

extension EntityTable: KeyedElements {
    @inlinable
    public func element(of key: Entity.ID) -> Entity? { self[key] }

    @inlinable
    public mutating func changeElement(of key: Entity.ID, _ change: (inout Entity) -> Void) { update(key, change) }
}

extension Dictionary: KeyedElements {
    @inlinable
    public func element(of key: Key) -> Value? { self[key] }

    @inlinable
    public mutating func changeElement(of key: Key, _ change: (inout Value) -> Void) {
        if let index = index(forKey: key) { change(&values[index]) }
    }
}

extension Array: KeyedElements {
    @inlinable
    public func element(of key: Int) -> Element? { indices.contains(key) ? self[key] : nil }

    @inlinable
    public mutating func changeElement(of key: Int, _ change: (inout Element) -> Void) {
        if indices.contains(key) { change(&self[key]) }
    }
}
