import Stores

/// A change that follows an action of another part of the state, in the same commit.
///
///     Follow(tasks, Tasks.add) { planner, _, _ in planner.trends.added += 1 }
///     tasks
///
/// It neither accepts nor rejects the action. It sees the state as the elements above it have left it: a `Follow` above the action's
/// ``Part`` or ``Action`` sees the state before the action, and one below sees the state after it.
public struct Follow<State: Sendable>: StoreElement {
    private let action: ObjectIdentifier
    private let name: String
    private let change: Follower<State>.Change

    @inlinable
    init<Values: Sendable>(
        _ handler: ActionHandler<State>, named name: String? = nil,
        _ change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        // The cast holds: actions with this handler have these values.
        self.init(of: handler, named: name ?? handler.name) {
            change(&$1, unsafeDowncast($0, to: ValueBox<Values>.self).value)
        }
    }

    @usableFromInline
    init(of handler: ActionHandler<State>, named name: String, _ change: @escaping Follower<State>.Change) {
        action = ObjectIdentifier(handler)
        self.name = name
        self.change = change
    }

    public func add(to elements: inout StoreElements<State>) {
        elements.followers.append(
            Follower(action: action, name: name, place: elements.actions.count, change: change))
    }
}

// One initializer for each number of fields: the compiler cannot infer an `inout` parameter in front of a parameter pack.

extension Follow {
    /// Follows an action of a part that has a field.
    ///
    /// - Parameters:
    ///   - part: the part, which the definition contains too.
    ///   - action: an action of the part.
    ///   - change: changes the state; it gets the state and a value for each field.
    @inlinable
    public init<Slice, Values>(
        _ part: Part<State, Slice>, _ action: Action<Slice, Values>,
        change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.init(part.handler(of: action.handler), named: part.typeName(of: action.handler), change)
    }

    /// Follows an action of a part without fields.
    @inlinable
    public init<Slice>(
        _ part: Part<State, Slice>, _ action: Action<Slice, Void>, change: @escaping @Sendable (inout State) -> Void
    ) {
        self.init(part.handler(of: action.handler), named: part.typeName(of: action.handler)) { (state, _: Void) in
            change(&state)
        }
    }

    /// Follows an action of a part that has two fields.
    @inlinable
    public init<Slice, A, B>(
        _ part: Part<State, Slice>, _ action: Action<Slice, (A, B)>,
        change: @escaping @Sendable (inout State, A, B) -> Void
    ) {
        self.init(part.handler(of: action.handler), named: part.typeName(of: action.handler)) {
            (state, values: (A, B)) in change(&state, values.0, values.1)
        }
    }

    /// Follows an action of a part that has three fields.
    @inlinable
    public init<Slice, A, B, C>(
        _ part: Part<State, Slice>, _ action: Action<Slice, (A, B, C)>,
        change: @escaping @Sendable (inout State, A, B, C) -> Void
    ) {
        self.init(part.handler(of: action.handler), named: part.typeName(of: action.handler)) {
            (state, values: (A, B, C)) in
            change(&state, values.0, values.1, values.2)
        }
    }

    /// Follows an action of a part that has four fields.
    @inlinable
    public init<Slice, A, B, C, D>(
        _ part: Part<State, Slice>, _ action: Action<Slice, (A, B, C, D)>,
        change: @escaping @Sendable (inout State, A, B, C, D) -> Void
    ) {
        self.init(part.handler(of: action.handler), named: part.typeName(of: action.handler)) {
            (state, values: (A, B, C, D)) in
            change(&state, values.0, values.1, values.2, values.3)
        }
    }
}

extension Follow {
    /// Follows an action of the state itself that has a field.
    ///
    /// - Parameters:
    ///   - action: an action, which the definition contains too.
    ///   - change: changes the state; it gets the state and a value for each field.
    @inlinable
    public init<Values>(_ action: Action<State, Values>, change: @escaping @Sendable (inout State, Values) -> Void) {
        self.init(action.handler, change)
    }

    /// Follows an action of the state itself without fields.
    @inlinable
    public init(_ action: Action<State, Void>, change: @escaping @Sendable (inout State) -> Void) {
        self.init(action.handler) { (state, _: Void) in change(&state) }
    }

    /// Follows an action of the state itself that has two fields.
    @inlinable
    public init<A, B>(_ action: Action<State, (A, B)>, change: @escaping @Sendable (inout State, A, B) -> Void) {
        self.init(action.handler) { (state, values: (A, B)) in change(&state, values.0, values.1) }
    }

    /// Follows an action of the state itself that has three fields.
    @inlinable
    public init<A, B, C>(
        _ action: Action<State, (A, B, C)>, change: @escaping @Sendable (inout State, A, B, C) -> Void
    ) {
        self.init(action.handler) { (state, values: (A, B, C)) in change(&state, values.0, values.1, values.2) }
    }

    /// Follows an action of the state itself that has four fields.
    @inlinable
    public init<A, B, C, D>(
        _ action: Action<State, (A, B, C, D)>, change: @escaping @Sendable (inout State, A, B, C, D) -> Void
    ) {
        self.init(action.handler) { (state, values: (A, B, C, D)) in
            change(&state, values.0, values.1, values.2, values.3)
        }
    }
}

extension Follower {
    /// A change of the library's own, which sees what all others have left.
    init<Values: Sendable>(
        last handler: ActionHandler<State>, _ change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        // The cast holds: actions with this handler have these values.
        self.init(action: ObjectIdentifier(handler), name: handler.name, place: Self.last) {
            change(&$1, unsafeDowncast($0, to: ValueBox<Values>.self).value)
        }
    }
}
