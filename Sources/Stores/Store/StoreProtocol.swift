/// What every store can do: show its state, take actions, and tell who watches.
public protocol StoreProtocol<State, Action>: AnyObject, Sendable {
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

/// A value that is watched: no actions and no reducer, only its own methods, with what must always hold checked
/// after each.
///
/// A method that throws, or that would leave the value with a broken invariant, changes nothing.
public final class ObservableStore<Value: Sendable>: StoreProtocol {
    /// A method of the value, to be called with what it needs.
    public typealias Method = @Sendable (inout Value) throws(Rejection) -> Bool

    private let store: Store<Value, Method>

    /// A store of that value.
    ///
    /// - Parameters:
    ///   - value: at revision 0.
    ///   - invariants: what must hold of the value after each change.
    public init(_ value: Value, invariants: [Invariant<Value>] = []) {
        store = Store(
            value,
            reducer: MethodReducer(invariants: invariants) { value, method throws(Rejection) in try method(&value) }
        )
    }

    public var state: Value { store.state }

    public func read<Result>(_ body: (Value) -> Result) -> Result { store.read(body) }

    /// Changes the value by its own methods; observers have been told when this returns.
    ///
    /// - Parameter method: returns whether it had anything to do; throws where it must not happen now.
    @discardableResult
    public func update(_ method: @escaping Method) -> Outcome { store.dispatch(method).outcome }

    public func send(_ method: @escaping Method) { store.dispatch(method) }

    public func observe(_ observer: @escaping @Sendable (Value) -> Void) -> Subscription { store.observe(observer) }
}
