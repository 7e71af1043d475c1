/// A value that is watched: no actions and no reducer, only its own methods, with what must always hold checked
/// after each.
///
/// A method that throws, or that would leave the value with a broken invariant, changes nothing.
public final class ObservableStore<Value: Sendable>: StateSource {
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
            value, reducer: Observable(invariants: invariants) { value, method throws(Rejection) in try method(&value) }
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
