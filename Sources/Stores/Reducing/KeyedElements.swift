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
