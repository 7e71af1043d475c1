/// The common interface of all stores: read the state, send actions, observe changes.
///
/// The reducer of a store must not call any of these methods of that store: see ``Reducer``.
public protocol StoreProtocol<State, Action>: AnyObject, Sendable {
    /// The state.
    associatedtype State: Sendable
    /// The actions.
    associatedtype Action: Sendable

    /// A copy of the current state. While the copy exists, the next change copies the collections that it touches. ``read(_:)``
    /// avoids this.
    var state: State { get }

    /// Reads the state in place. Nothing changes it meanwhile, so `body` must be quick.
    func read<Result>(_ body: (State) -> Result) -> Result

    /// Sends an action without waiting for the result. If a limit of the store refuses it, a ``StoreFault`` is reported.
    func send(_ action: Action)

    /// Calls `observer` with the state at once, then after each commit, in order and one call at a time.
    ///
    /// The observer is called under the lock of the store. It must be quick and may read the store. An action that it sends is
    /// queued behind the current one. If it sends to another store, the observers of that store must not send to this one:
    /// two threads could wait for each other.
    func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription
}

/// A store without actions and reducer: the value changes by its own methods, and invariants are checked after each.
///
///     let outcome = form.update { $0.username = "ada" }
///
/// A method that throws, or breaks an invariant, changes nothing. One that leaves an equal value behind is ignored.
public final class ObservableStore<Value: Sendable & Equatable>: StoreProtocol {
    /// A method of the value.
    public typealias Method = @Sendable (inout Value) throws(Rejection) -> Void

    private let store: Store<Value, Method>

    /// A store with an initial value.
    ///
    /// - Parameters:
    ///   - value: at revision 0.
    ///   - invariants: checked after each change.
    public init(_ value: Value, invariants: [Invariant<Value>] = []) {
        store = Store(
            value,
            reducer: MethodReducer(invariants: invariants) { value, method throws(Rejection) in
                let before = value
                try method(&value)
                return !ExactComparison.areSame(before, value)
            })
    }

    public var state: Value { store.state }

    public func read<Result>(_ body: (Value) -> Result) -> Result { store.read(body) }

    /// Changes the value. All observers have been called when this returns.
    ///
    /// - Parameter method: changes the value, or throws if it must not happen now. It must not call this store: see
    ///   ``Reducer``.
    @discardableResult
    public func update(_ method: @escaping Method) -> Outcome { store.dispatch(method).outcome }

    public func send(_ method: @escaping Method) { store.send(method) }

    public func observe(_ observer: @escaping @Sendable (Value) -> Void) -> Subscription { store.observe(observer) }
}
