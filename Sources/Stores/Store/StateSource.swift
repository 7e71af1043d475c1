/// What every store can do: show its state, take actions, and tell who watches.
public protocol StateSource<State, Action>: AnyObject, Sendable {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// The state now. Not to be asked for by an observer, which is given the state that belongs to its call.
    var state: State { get }

    /// Sends an action without waiting for what comes of it.
    func send(_ action: Action)

    /// Calls `observer` with the state at once, then after each commit, in order and one call at a time.
    ///
    /// It is called inside the store: it must be quick, and an action that it sends is queued behind the one at hand.
    func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription
}
