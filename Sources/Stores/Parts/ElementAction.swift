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
