/// What hosts a state behind JSON: a store that reduces at once, or one that takes its time.
@usableFromInline
protocol StoreEngine<State, Action>: AnyObject, Sendable {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    var core: StoreCore<State, Action> { get }

    /// Does what the middlewares ask for when a state goes on.
    func resume()

    /// Calls `answer` inside the store with what came of it and the contents of that moment, where it came to that, and
    /// `done` outside with what that said.
    func submit<Answer: Sendable>(
        _ action: Action, _ envelope: Envelope<Action>,
        answer: @escaping @Sendable (Receipt, StoreCore<State, Action>.Place?) -> Answer,
        done: @escaping @Sendable (Answer) -> Void)
}
