/// Follows actions that others decide on: it neither accepts nor rejects, and runs for each that another part accepts.
///
/// It sees what the parts before it left, so that one that must see the state as it was stands first.
public struct Watch<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let follow: @Sendable (inout State, Action) -> Void

    /// Runs `follow` for what others accept.
    ///
    /// - Parameter follow: changes the state for an accepted action; it does nothing for those that it does not watch.
    @inlinable @inline(__always)
    public init(_ follow: @escaping @Sendable (inout State, Action) -> Void) { self.follow = follow }

    /// Ignores: what it watches is for others to accept.
    @inlinable @inline(__always)
    public func decide(_ action: Action, in state: State) -> Decision { .ignore }

    @inlinable @inline(__always)
    public func reduce(_ state: inout State, _ action: Action) { follow(&state, action) }
}
