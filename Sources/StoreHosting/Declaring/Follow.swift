import Stores

/// A change that follows an action of another part of the state, in the same commit.
///
///     Follow(tasks, Tasks.add) { planner, _ in planner.trends.added += 1 }
///     tasks
///
/// It neither accepts nor rejects the action. It sees the state as the elements above it have left it: a `Follow` above the action's
/// ``Part`` or ``Action`` sees the state before the action, and one below sees the state after it.
public struct Follow<State: Sendable>: StoreElement {
    private let action: ObjectIdentifier
    private let name: String
    private let change: Follower<State>.Change

    /// Follows an action of a part.
    ///
    /// - Parameters:
    ///   - part: the part, which the definition contains too.
    ///   - action: an action of the part.
    ///   - change: changes the state; of several fields, it gets the values as a tuple.
    @inlinable
    public init<Slice, Values>(
        _ part: Part<State, Slice>, _ action: Action<Slice, Values>,
        change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.init(part.handler(of: action.handler), change)
    }

    /// Follows an action of the state itself.
    ///
    /// - Parameters:
    ///   - action: an action, which the definition contains too.
    ///   - change: changes the state; of several fields, it gets the values as a tuple.
    @inlinable
    public init<Values>(_ action: Action<State, Values>, change: @escaping @Sendable (inout State, Values) -> Void) {
        self.init(action.handler, change)
    }

    @inlinable
    init<Values: Sendable>(
        _ handler: ActionHandler<State>, _ change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        // The cast holds: actions with this handler have these values.
        self.init(of: handler) { change(&$1, unsafeDowncast($0, to: ValueBox<Values>.self).value) }
    }

    @usableFromInline
    init(of handler: ActionHandler<State>, _ change: @escaping Follower<State>.Change) {
        action = ObjectIdentifier(handler)
        name = handler.name
        self.change = change
    }

    public func add(to elements: inout StoreElements<State>) {
        elements.followers.append(
            Follower(action: action, name: name, place: elements.actions.count, change: change))
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
