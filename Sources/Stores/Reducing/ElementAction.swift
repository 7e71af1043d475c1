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
