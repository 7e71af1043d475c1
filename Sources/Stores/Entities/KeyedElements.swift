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
