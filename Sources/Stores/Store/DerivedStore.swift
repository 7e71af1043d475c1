import Locks

/// Shows a part of another store's state, and turns its own actions into that store's.
///
/// It holds no state of its own: it is current when the parent's dispatch returns, and costs nothing while nobody
/// watches. An observer is told only of values that differ from the one that it was told before.
public final class DerivedStore<State: Sendable & Equatable, Action: Sendable>: StateSource {
    private let current: @Sendable () -> State
    private let forward: @Sendable (Action) -> Void
    private let watch: @Sendable (@escaping @Sendable (State) -> Void) -> Subscription

    fileprivate init<Parent: StateSource>(
        _ parent: Parent, state: @escaping @Sendable (Parent.State) -> State,
        action: @escaping @Sendable (Action) -> Parent.Action
    ) {
        current = { parent.read(state) }
        forward = { parent.send(action($0)) }
        watch = { observer in
            // Guards the value told last. Taken after the parent's lock; nobody is called while it is held.
            let told = Locked<State?>(nil)
            return parent.observe { whole in
                let part = state(whole)
                let isNew = told.withLock { told in
                    defer { told = part }
                    return told != part
                }
                if isNew { observer(part) }
            }
        }
    }

    public var state: State { current() }

    public func read<Result>(_ body: (State) -> Result) -> Result { body(current()) }

    public func send(_ action: Action) { forward(action) }

    public func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription { watch(observer) }
}

extension StateSource {
    /// A store of the part that `state` picks; what is sent to it reaches this store as `action` embeds it.
    public func derived<Part: Sendable & Equatable, PartAction: Sendable>(
        state: @escaping @Sendable (State) -> Part, action: @escaping @Sendable (PartAction) -> Action
    ) -> DerivedStore<Part, PartAction> {
        DerivedStore(self, state: state, action: action)
    }
}
