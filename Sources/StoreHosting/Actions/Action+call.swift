// An action of the program leaves out the filled fields at its beginning. One function for each number of them, because a pack of
// parameters cannot be filtered.
extension Action {
    /// The action with these values.
    @inlinable
    public func callAsFunction<each Value: Sendable>(_ values: repeat each Value) -> StoreAction<State>
    where Values == (repeat each Value) {
        action((repeat each values))
    }

    /// The action with these values, whose first field the store fills.
    @inlinable
    public func callAsFunction<A, each Value: Sendable>(_ values: repeat each Value) -> StoreAction<State>
    where Values == (Filled<A>, repeat each Value) {
        action((.byServer, repeat each values))
    }

    /// The action with these values, whose first two fields the store fills.
    @inlinable
    public func callAsFunction<A, B, each Value: Sendable>(_ values: repeat each Value) -> StoreAction<State>
    where Values == (Filled<A>, Filled<B>, repeat each Value) {
        action((.byServer, .byServer, repeat each values))
    }

    /// The action with these values, whose first three fields the store fills.
    @inlinable
    public func callAsFunction<A, B, C, each Value: Sendable>(_ values: repeat each Value) -> StoreAction<State>
    where Values == (Filled<A>, Filled<B>, Filled<C>, repeat each Value) {
        action((.byServer, .byServer, .byServer, repeat each values))
    }

    /// The action, whose four fields the store fills.
    @inlinable
    public func callAsFunction<A, B, C, D>() -> StoreAction<State>
    where Values == (Filled<A>, Filled<B>, Filled<C>, Filled<D>) {
        action((.byServer, .byServer, .byServer, .byServer))
    }
}
