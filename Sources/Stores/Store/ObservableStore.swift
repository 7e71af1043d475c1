/// A value that is watched: no actions and no reducer, only its own methods, with what must always hold checked
/// after each.
///
/// A method that throws, or that would leave the value with a broken invariant, changes nothing.
public final class ObservableStore<Value: Sendable>: StateSource {
    /// A method of the value, to be called with what it needs.
    public typealias Method = @Sendable (inout Value) throws(Rejection) -> Bool

    private let store: Store<Value, Method>

    /// - Parameter invariants: what must hold of the value after each change.
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

/// What holds of a value after every change.
public struct Invariant<Value: Sendable>: Sendable {
    /// The reason with which a change that breaks it is rejected.
    public let name: String
    let holds: @Sendable (Value) -> Bool

    /// - Parameter holds: whether the invariant is kept; it only reads.
    public init(_ name: String, holds: @escaping @Sendable (Value) -> Bool) {
        self.name = name
        self.holds = holds
    }
}

/// Lets actions call the methods of a value that keeps its own rules, so that it can be a store's state.
public struct Observable<State: Sendable, Action: Sendable>: Reducer {
    /// Calls the method that `action` stands for; false where it had nothing to do.
    public typealias Call = @Sendable (inout State, Action) throws(Rejection) -> Bool

    private let invariants: [Invariant<State>]
    private let call: Call

    /// - Parameter call: calls the value's method that an action stands for.
    public init(invariants: [Invariant<State>] = [], _ call: @escaping Call) {
        self.invariants = invariants
        self.call = call
    }

    public func decide(_ action: Action, in state: State) -> Decision {
        var trial = state
        return apply(action, to: &trial)
    }

    public func reduce(_ state: inout State, _ action: Action) { _ = apply(action, to: &state) }

    public func apply(_ action: Action, to state: inout State) -> Decision {
        var next = state
        do throws(Rejection) {
            guard try call(&next, action) else { return .ignore }
        } catch {
            return .reject(error)
        }
        if let broken = invariants.first(where: { !$0.holds(next) }) { return .reject(Rejection(broken.name)) }
        state = next
        return .accept
    }
}
