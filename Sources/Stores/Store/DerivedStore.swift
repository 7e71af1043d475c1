import Locks

/// A store for a part of another store, the parent: it reads the state of the parent and translates actions for it.
///
/// It has no state of its own. It is current when a dispatch of the parent returns, and costs nothing while it has no observers.
/// An observer is called only with values that differ from the one before. The store compares either tokens, which costs the
/// same at any size, or the values.
public final class DerivedStore<State: Sendable, Action: Sendable>: StoreProtocol {
    private let readState: @Sendable () -> State
    private let sendAction: @Sendable (Action) -> Void
    private let observeState: @Sendable (@escaping @Sendable (State) -> Void) -> Subscription

    /// - Parameter change: the part of the state if it has changed, and what it must remember to know that the next time.
    fileprivate init<Parent: StoreProtocol, Memory: Sendable>(
        _ parent: Parent, state: @escaping @Sendable (Parent.State) -> State,
        action: @escaping @Sendable (Action) -> Parent.Action,
        change: @escaping @Sendable (Parent.State, inout Memory?) -> State?
    ) {
        readState = { parent.read(state) }
        sendAction = { parent.send(action($0)) }
        observeState = { observer in
            // Guards the last value. Taken after the lock of the parent; nothing is called while it is held.
            let memory = Locked<Memory?>(nil)
            return parent.observe { whole in
                if let part = memory.withLock({ change(whole, &$0) }) { observer(part) }
            }
        }
    }

    public var state: State { readState() }

    public func read<Result>(_ body: (State) -> Result) -> Result { body(readState()) }

    public func send(_ action: Action) { sendAction(action) }

    public func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription { observeState(observer) }
}

extension StoreProtocol {
    /// A store of the part that `state` returns. `action` embeds its actions in those of this store.
    ///
    /// While it is observed, each commit compares the part with a stored copy. For a large part, derive by token.
    public func derived<Part: Sendable & Equatable, PartAction: Sendable>(
        state: @escaping @Sendable (State) -> Part, action: @escaping @Sendable (PartAction) -> Action
    ) -> DerivedStore<Part, PartAction> {
        DerivedStore(self, state: state, action: action) { (whole: State, last: inout Part?) in
            let part = state(whole)
            if let last, ExactComparison.areSame(last, part) { return nil }
            last = part
            return part
        }
    }

    /// A store of the part that `state` returns, with a comparison of your own.
    ///
    /// - Parameters:
    ///   - state: reads the part.
    ///   - action: embeds its actions in those of this store.
    ///   - skipRepeats: whether observers need not be called for the second value after the first. `{ _, _ in false }` calls
    ///     them after each commit.
    public func derived<Part: Sendable, PartAction: Sendable>(
        state: @escaping @Sendable (State) -> Part, action: @escaping @Sendable (PartAction) -> Action,
        skipRepeats: @escaping @Sendable (_ last: Part, _ next: Part) -> Bool
    ) -> DerivedStore<Part, PartAction> {
        DerivedStore(self, state: state, action: action) { (whole: State, last: inout Part?) in
            let part = state(whole)
            if let last, skipRepeats(last, part) { return nil }
            last = part
            return part
        }
    }

    /// A store of the part that `state` returns, for reading only: it has no actions.
    public func derived<Part: Sendable & Equatable>(
        state: @escaping @Sendable (State) -> Part
    ) -> DerivedStore<Part, Never> {
        derived(state: state, action: embedNothing)
    }

    /// A store of the part that `state` returns, for reading only, with a comparison of your own: see
    /// ``derived(state:action:skipRepeats:)``.
    public func derived<Part: Sendable>(
        state: @escaping @Sendable (State) -> Part,
        skipRepeats: @escaping @Sendable (_ last: Part, _ next: Part) -> Bool
    ) -> DerivedStore<Part, Never> {
        derived(state: state, action: embedNothing, skipRepeats: skipRepeats)
    }

    /// A store of the part that `state` returns, for reading only. It has changed if its token has.
    public func derived<Part: Sendable>(
        state: @escaping @Sendable (State) -> Part, stamp: @escaping @Sendable (State) -> ChangeToken
    ) -> DerivedStore<Part, Never> {
        derived(state: state, stamp: stamp, action: embedNothing)
    }

    /// A store of the part that `state` returns. It has changed if its token has; no values are compared or copied.
    ///
    ///     store.derived(state: \.tasks, stamp: \.$tasks, action: AppAction.tasks)
    public func derived<Part: Sendable, PartAction: Sendable>(
        state: @escaping @Sendable (State) -> Part, stamp: @escaping @Sendable (State) -> ChangeToken,
        action: @escaping @Sendable (PartAction) -> Action
    ) -> DerivedStore<Part, PartAction> {
        DerivedStore(self, state: state, action: action) { (whole: State, last: inout ChangeToken?) in
            let token = stamp(whole)
            guard last != token else { return nil }
            last = token
            return state(whole)
        }
    }

    /// A store of the view state and the view actions of `connector`.
    public func connected<Between: Connector<State, Action>>(
        by connector: Between
    ) -> DerivedStore<Between.ViewState, Between.ViewAction> {
        DerivedStore(self, state: connector.viewState, action: connector.action) {
            (whole: State, last: inout (stamps: [ChangeToken], view: Between.ViewState)?) in
            let stamps = connector.stamps(of: whole)
            if let last, !stamps.isEmpty, last.stamps == stamps { return nil }
            let view = connector.viewState(of: whole)
            defer { last = (stamps, view) }
            if let last, ExactComparison.areSame(last.view, view) { return nil }
            return view
        }
    }
}

/// Embeds the actions of a store that has none.
@Sendable private func embedNothing<Action>(_ action: Never) -> Action {}

/// Translates between a store and a view: the state to view state, and view actions to actions.
public protocol Connector<State, Action>: Sendable {
    /// The state of the store.
    associatedtype State: Sendable
    /// The actions of the store.
    associatedtype Action: Sendable
    /// The values that the view shows.
    associatedtype ViewState: Sendable & Equatable
    /// The actions of the view.
    associatedtype ViewAction: Sendable

    /// The view state of `state`.
    func viewState(of state: State) -> ViewState

    /// The action for `viewAction`.
    func action(for viewAction: ViewAction) -> Action

    /// The tokens of all parts that ``viewState(of:)`` reads. It is not called while they are unchanged. By default there are
    /// none, and it is called after each commit.
    func stamps(of state: State) -> [ChangeToken]
}

extension Connector {
    public func stamps(of state: State) -> [ChangeToken] { [] }
}
