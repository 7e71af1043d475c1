import Locks

/// Shows a part of another store's state, and turns its own actions into that store's.
///
/// It holds no state of its own: it is current when the parent's dispatch returns, and costs nothing while nobody watches.
/// An observer is told only of values that differ from the one that it was told before. How that is known, the way of
/// deriving says: by stamps, which costs the same at any size, or by comparing.
public final class DerivedStore<State: Sendable, Action: Sendable>: StoreProtocol {
    private let current: @Sendable () -> State
    private let forward: @Sendable (Action) -> Void
    private let watch: @Sendable (@escaping @Sendable (State) -> Void) -> Subscription

    /// - Parameter news: the part of the whole state, where it is not what `memory` knows already.
    fileprivate init<Parent: StoreProtocol, Memory: Sendable>(
        _ parent: Parent, state: @escaping @Sendable (Parent.State) -> State,
        action: @escaping @Sendable (Action) -> Parent.Action,
        news: @escaping @Sendable (Parent.State, inout Memory?) -> State?
    ) {
        current = { parent.read(state) }
        forward = { parent.send(action($0)) }
        watch = { observer in
            // Guards what was told last. Taken after the parent's lock; nobody is called while it is held.
            let memory = Locked<Memory?>(nil)
            return parent.observe { whole in
                if let part = memory.withLock({ news(whole, &$0) }) { observer(part) }
            }
        }
    }

    public var state: State { current() }

    public func read<Result>(_ body: (State) -> Result) -> Result { body(current()) }

    public func send(_ action: Action) { forward(action) }

    public func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription { watch(observer) }
}

extension StoreProtocol {
    /// A store of the part that `state` picks; what is sent to it reaches this store as `action` embeds it.
    ///
    /// Each commit compares the part with the one told last, which is kept for it: of a large part, derive by its stamp.
    public func derived<Part: Sendable & Equatable, PartAction: Sendable>(
        state: @escaping @Sendable (State) -> Part, action: @escaping @Sendable (PartAction) -> Action
    ) -> DerivedStore<Part, PartAction> {
        DerivedStore(self, state: state, action: action) { (whole: State, told: inout Part?) in
            let part = state(whole)
            guard told != part else { return nil }
            told = part
            return part
        }
    }

    /// A store of the part that `state` picks, which has changed where its stamp has: nothing is compared or kept.
    ///
    ///     store.derived(state: \.tasks, stamp: \.$tasks, action: AppAction.tasks)
    public func derived<Part: Sendable, PartAction: Sendable>(
        state: @escaping @Sendable (State) -> Part, stamp: @escaping @Sendable (State) -> ChangeToken,
        action: @escaping @Sendable (PartAction) -> Action
    ) -> DerivedStore<Part, PartAction> {
        DerivedStore(self, state: state, action: action) { (whole: State, told: inout ChangeToken?) in
            let latest = stamp(whole)
            guard told != latest else { return nil }
            told = latest
            return state(whole)
        }
    }

    /// A store of what `connector` makes of this one's state, for the actions that it understands.
    public func connected<Between: Connector<State, Action>>(
        by connector: Between
    ) -> DerivedStore<Between.ViewState, Between.ViewAction> {
        DerivedStore(self, state: connector.viewState, action: connector.action) {
            (whole: State, told: inout (stamps: [ChangeToken], view: Between.ViewState)?) in
            let stamps = connector.stamps(of: whole)
            if let known = told, !stamps.isEmpty, known.stamps == stamps { return nil }
            let view = connector.viewState(of: whole)
            defer { told = (stamps, view) }
            return told?.view == view ? nil : view
        }
    }
}

/// Stands between a store and a view: what the view shows of the state, and what its actions mean to the store.
public protocol Connector<State, Action>: Sendable {
    /// The store's state.
    associatedtype State: Sendable
    /// The store's actions.
    associatedtype Action: Sendable
    /// What the view shows.
    associatedtype ViewState: Sendable & Equatable
    /// What can be done in the view.
    associatedtype ViewAction: Sendable

    /// What the view shows of `state`.
    func viewState(of state: State) -> ViewState

    /// What `viewAction` means to the store.
    func action(for viewAction: ViewAction) -> Action

    /// The stamps of all that ``viewState(of:)`` reads: while they are the same, it is not asked. None unless it is written
    /// otherwise, and then it is asked after each commit.
    func stamps(of state: State) -> [ChangeToken]
}

extension Connector {
    public func stamps(of state: State) -> [ChangeToken] { [] }
}
