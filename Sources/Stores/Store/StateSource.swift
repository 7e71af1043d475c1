/// What every store can do: show its state, take actions, and tell who watches.
public protocol StateSource<State, Action>: AnyObject, Sendable {
    /// What it shows.
    associatedtype State: Sendable
    /// What can be sent to it.
    associatedtype Action: Sendable

    /// A copy of the state now. While it is kept, the next change copies what it touches too; ``read(_:)`` does without.
    var state: State { get }

    /// Reads the state in place, while nothing changes it: `body` must be quick.
    func read<Result>(_ body: (State) -> Result) -> Result

    /// Sends an action without waiting for what comes of it.
    func send(_ action: Action)

    /// Calls `observer` with the state at once, then after each commit, in order and one call at a time.
    ///
    /// It is called inside the store: it must be quick, it may read the store, and an action that it sends is queued behind
    /// the one at hand. Where it sends to another store, that store's observers must not send to this one: two threads
    /// could wait for each other.
    func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription
}
