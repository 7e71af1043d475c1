/// A middleware made of one asynchronous function, which returns the next action, or nil for none.
///
///     AsyncMiddleware("animal.fetch") { state, action in
///         guard action == .fetchAnimal else { return nil }
///         return .setCurrentAnimal(await service.animal())
///     }
///
/// The function is called in an effect for each commit. The calls run side by side, and count for the `effectLimit` of the
/// ``StoreEnvironment`` until they return. A call may be cancelled: the store ends, or somebody cancels the effect by its id. Use a
/// ``MiddlewareFunction`` for an effect with a policy, and for a store with many actions that are no concern of the function.
public struct AsyncMiddleware<State: Sendable, Action: Sendable>: Middleware {
    private let id: EffectID
    private let function: @Sendable (State, Action) async -> Action?

    /// A middleware that answers commits by `function`.
    ///
    /// - Parameters:
    ///   - id: names the effect.
    ///   - function: gets the state after the commit, and its action.
    public init(_ id: EffectID, _ function: @escaping @Sendable (_ state: State, _ action: Action) async -> Action?) {
        self.id = id
        self.function = function
    }

    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> {
        let (state, action) = (commit.state, commit.action)
        return .run(id, .parallel) { [function] in await function(state, action) }
    }
}
