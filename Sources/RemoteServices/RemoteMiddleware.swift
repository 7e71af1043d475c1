public import Stores

/// Calls a remote service upon an action, and dispatches what came of it: action, request, action.
///
///     RemoteMiddleware(
///         "quote.fetch", client,
///         on: { if case .fetch = $0.action { RemoteRequest(target: "/quotes/today") } else { nil } },
///         answer: { answer throws(RemoteFailure) in .arrived(try answer.text(at: "quote", "text")) },
///         failure: { .failed($0.code) })
///
/// A call always ends in one of the two actions, unless it is cancelled: by `isCancelled`, by a newer one where the policy
/// says so, or with its store.
public struct RemoteMiddleware<State: Sendable, Action: Sendable>: Middleware {
    private let id: EffectID
    private let client: any RemoteClient
    private let policy: EffectPolicy
    private let request: @Sendable (borrowing Commit<State, Action>) -> RemoteRequest?
    private let cancels: @Sendable (borrowing Commit<State, Action>) -> Bool
    private let answer: @Sendable (RemoteResponse) throws(RemoteFailure) -> Action
    private let failure: @Sendable (RemoteFailure) -> Action
    private let isCalling: @Sendable (State) -> Bool

    /// A middleware that calls by `client`.
    ///
    /// - Parameters:
    ///   - id: the name of its effect.
    ///   - client: the service.
    ///   - policy: what becomes of a call that runs when another is asked for; the latest wins unless it says otherwise.
    ///   - request: what to send upon a commit; nil where the commit asks for nothing. Called inside the store.
    ///   - cancels: whether a commit ends the call.
    ///   - answer: the action that an answer becomes; what it throws becomes that of `failure`.
    ///   - failure: the action that a failure becomes.
    ///   - isCalling: whether a state waits for an answer. A store that goes on from such a state, which was kept when the
    ///     process ended, is told that its call was interrupted.
    public init(
        _ id: EffectID, _ client: any RemoteClient, _ policy: EffectPolicy = .latest,
        on request: @escaping @Sendable (borrowing Commit<State, Action>) -> RemoteRequest?,
        cancels: @escaping @Sendable (borrowing Commit<State, Action>) -> Bool = { _ in false },
        answer: @escaping @Sendable (RemoteResponse) throws(RemoteFailure) -> Action,
        failure: @escaping @Sendable (RemoteFailure) -> Action,
        isCalling: @escaping @Sendable (State) -> Bool = { _ in false }
    ) {
        self.id = id
        self.client = client
        self.policy = policy
        self.request = request
        self.cancels = cancels
        self.answer = answer
        self.failure = failure
        self.isCalling = isCalling
    }

    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> {
        guard let request = request(commit) else { return cancels(commit) ? .cancel(id) : .none }
        return .run(id, policy) { [client, answer] () async throws(RemoteFailure) in
            try await client.call(request, reading: answer)
        } failure: { [failure] in
            failure($0)
        }
    }

    public func resume(_ state: State) -> Effect<Action> {
        guard isCalling(state) else { return .none }
        return .dispatch(failure(RemoteFailure(.interrupted, "the process ended before the answer")))
    }
}
