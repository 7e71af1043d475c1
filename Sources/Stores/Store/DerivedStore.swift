import Locks

/// Shows a part of another store's state, and turns its own actions into that store's.
///
/// It is current when the parent's dispatch returns, and tells its observers only of values that differ.
public final class DerivedStore<State: Sendable & Equatable, Action: Sendable>: StateSource {
    private final class Contents: Sendable {
        // Guards the last value, and the order in which it is told. Taken after the parent's lock.
        let state: Locked<State?> = Locked(nil)
        let observers = Observers<State>()

        func update(_ new: State) {
            state.withLock { state in
                guard state != new else { return }
                state = new
                observers.tell(new)
            }
        }
    }

    private let contents: Contents
    private let parent: Subscription
    private let forward: @Sendable (Action) -> Void
    private let initial: State

    fileprivate init<Parent: StateSource>(
        _ parent: Parent, state: @escaping @Sendable (Parent.State) -> State,
        action: @escaping @Sendable (Action) -> Parent.Action
    ) {
        let contents = Contents()
        self.contents = contents
        initial = state(parent.state)
        self.parent = parent.observe { contents.update(state($0)) }
        forward = { parent.send(action($0)) }
    }

    public var state: State { contents.state.withLock { $0 } ?? initial }

    public func send(_ action: Action) { forward(action) }

    public func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription {
        contents.state.withLock { state in
            observer(state ?? initial)
            return contents.observers.add(observer)
        }
    }
}

extension StateSource {
    /// A store of the part that `state` picks; what is sent to it reaches this store as `action` embeds it.
    public func derived<Part: Sendable & Equatable, PartAction: Sendable>(
        state: @escaping @Sendable (State) -> Part, action: @escaping @Sendable (PartAction) -> Action
    ) -> DerivedStore<Part, PartAction> {
        DerivedStore(self, state: state, action: action)
    }
}
