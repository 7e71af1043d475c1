/// What hosts a state behind JSON: a store that reduces at once, or one that takes its time.
protocol StoreEngine<State, Action>: AnyObject, Sendable {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    var core: StoreCore<State, Action> { get }

    /// Calls `done` with what came of it and, where it was committed or ignored, the state of that moment.
    func submit(_ submission: Submission<Action>, done: @escaping @Sendable (Receipt, State?) -> Void)
}
