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
    func stamps(of state: State) -> [Stamp]
}

extension Connector {
    public func stamps(of state: State) -> [Stamp] { [] }
}
