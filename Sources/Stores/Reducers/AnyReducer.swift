/// A reducer with its type erased, as stores and compositions call it.
///
/// It exists for speed, and so do the `@inlinable` and `@inline(__always)` attributes of this module. A dispatch takes less than
/// 100 nanoseconds and allocates nothing. Two things make this possible. The four functions below are created where the
/// concrete type of the reducer is known, so the compiler specializes them; a call through `any Reducer` would not be
/// specialized. And every step between ``Store/dispatch(_:)`` and these functions is inlinable, so it is specialized in the
/// program that uses the store, and state and action are passed by reference all the way. `Benchmarks/run --only stores`
/// measures both.
public final class AnyReducer<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline package typealias Concerns = @Sendable (Action) -> Bool
    @usableFromInline package typealias Decide = @Sendable (Action, State) -> Decision
    @usableFromInline package typealias Reduce = @Sendable (Action, inout State) -> Void
    @usableFromInline package typealias Apply = @Sendable (Action, inout State) -> Decision

    @usableFromInline let concernsFunction: Concerns
    @usableFromInline let decideFunction: Decide
    @usableFromInline let reduceFunction: Reduce
    @usableFromInline let applyFunction: Apply

    @inlinable
    package init(
        concerns: @escaping Concerns, decide: @escaping Decide, reduce: @escaping Reduce, apply: @escaping Apply
    ) {
        concernsFunction = concerns
        decideFunction = decide
        reduceFunction = reduce
        applyFunction = apply
    }

    /// Erases the type of `reducer`.
    @inlinable
    public convenience init(_ reducer: some Reducer<State, Action>) {
        self.init(
            concerns: { reducer.concerns($0) }, decide: { reducer.decide($0, in: $1) },
            reduce: { reducer.reduce(&$1, $0) }, apply: { reducer.apply($0, to: &$1) })
    }

    @inlinable
    public func concerns(_ action: Action) -> Bool { concernsFunction(action) }

    @inlinable
    public func decide(_ action: Action, in state: State) -> Decision { decideFunction(action, state) }

    @inlinable
    public func reduce(_ state: inout State, _ action: Action) { reduceFunction(action, &state) }

    @inlinable
    public func apply(_ action: Action, to state: inout State) -> Decision { applyFunction(action, &state) }

    @inlinable public var prepared: AnyReducer { self }
}
