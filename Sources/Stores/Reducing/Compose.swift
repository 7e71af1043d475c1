/// Composes reducers as a list of statements.
///
///     Compose {
///         Slice(\.counter, .counter, CounterReducer())
///         Slice(\.user, .user, UserReducer())
///     }
///
/// All parts decide before any of them reduces: one rejection, however deep and however late, leaves no trace. A part that an
/// action does not concern is neither asked nor run, and costs little more than finding that out.
public struct Compose<State: Sendable, Action: Sendable>: ComposedReducer {
    @usableFromInline let parts: [PreparedReducer<State, Action>]
    public let body: PreparedReducer<State, Action>

    @inlinable
    init(parts: [PreparedReducer<State, Action>]) {
        self.parts = parts
        let list = PartList(parts)
        body = PreparedReducer(
            ask: { list.concerns($0) }, read: { list.decide($0, in: $1) }, change: { list.reduce(&$1, $0) },
            attempt: { list.apply($0, to: &$1) })
    }

    /// The reducers that `body` lists, in its order.
    @inlinable
    public init(@ReducerBuilder<State, Action> _ body: () -> Compose) { self = body() }
}

/// Combines reducers variadically: each is asked, then each runs, in the order given.
@inlinable
public func combine<State, Action>(_ reducers: any Reducer<State, Action>...) -> Compose<State, Action> {
    Compose(parts: reducers.map { $0.prepared })
}
