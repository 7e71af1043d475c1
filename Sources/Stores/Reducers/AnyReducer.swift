/// A reducer made ready to be called often, whatever its type: what a store and a composition call.
///
/// It is four functions that are made where the type of the reducer is known, so that the compiler specializes them, and that
/// are called without a copy of anything.
public final class AnyReducer<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline package typealias Ask = @Sendable (Action) -> Bool
    @usableFromInline package typealias Read = @Sendable (Action, State) -> Decision
    @usableFromInline package typealias Change = @Sendable (Action, inout State) -> Void
    @usableFromInline package typealias Attempt = @Sendable (Action, inout State) -> Decision

    @usableFromInline package let ask: Ask
    @usableFromInline package let read: Read
    @usableFromInline package let change: Change
    @usableFromInline package let attempt: Attempt

    @inlinable
    package init(ask: @escaping Ask, read: @escaping Read, change: @escaping Change, attempt: @escaping Attempt) {
        self.ask = ask
        self.read = read
        self.change = change
        self.attempt = attempt
    }

    /// The functions of `reducer`.
    @inlinable
    public convenience init(_ reducer: some Reducer<State, Action>) {
        self.init(
            ask: { reducer.concerns($0) }, read: { reducer.decide($0, in: $1) },
            change: { reducer.reduce(&$1, $0) }, attempt: { reducer.apply($0, to: &$1) })
    }

    @inlinable
    public func concerns(_ action: Action) -> Bool { ask(action) }

    @inlinable
    public func decide(_ action: Action, in state: State) -> Decision { read(action, state) }

    @inlinable
    public func reduce(_ state: inout State, _ action: Action) { change(action, &state) }

    @inlinable
    public func apply(_ action: Action, to state: inout State) -> Decision { attempt(action, &state) }

    @inlinable public var prepared: AnyReducer { self }
}
