/// A reducer that may take its time: the whole next state comes back asynchronously.
///
/// Simpler than middleware where every transition may wait; the price is that every transition does.
public protocol AsyncReducer<State, Action>: Sendable {
    /// What is reduced.
    associatedtype State: Sendable
    /// What it is reduced by.
    associatedtype Action: Sendable

    /// The state that `action` leads to, or nil where there is nothing to do now.
    ///
    /// The store asks for one at a time: nothing else changes the state meanwhile.
    func reduce(_ state: State, _ action: Action) async throws(Rejection) -> State?
}

/// An ordinary reducer's rules, for a store that reduces asynchronously.
public struct Asynchronous<Rules: Reducer>: AsyncReducer {
    private let rules: Rules

    /// A reducer that follows `rules` and never waits.
    public init(_ rules: Rules) { self.rules = rules }

    public func reduce(
        _ state: Rules.State, _ action: Rules.Action
    ) async throws(Rejection) -> Rules.State? {
        var next = state
        switch rules.apply(action, to: &next) {
        case .accept: return next
        case .ignore: return nil
        case .reject(let rejection): throw rejection
        }
    }
}
