package import RemoteServices
package import Stores

/// Calls a remote service after an action of a store without a definition, and dispatches the result: action, request, action.
///
///     RemoteMiddleware(
///         "quote.fetch", client,
///         on: { if case .fetch = $0.action { RemoteRequest(target: "/quotes/today") } else { nil } },
///         response: { response throws(RemoteFailure) in .arrived(try response.text(at: "quote", "text")) },
///         failure: { .failed($0.code) })
///
/// Each call ends with one of the two actions, unless it is cancelled: by `cancels`, by a newer call if the policy says so, or
/// with its store.
package struct RemoteMiddleware<State: Sendable, Action: Sendable>: Middleware {
    private let id: EffectID
    private let client: any RemoteClient
    private let policy: EffectPolicy
    private let request: @Sendable (borrowing Commit<State, Action>) -> RemoteRequest?
    private let cancels: @Sendable (borrowing Commit<State, Action>) -> Bool
    private let response: @Sendable (RemoteResponse) throws(RemoteFailure) -> Action
    private let failure: @Sendable (RemoteFailure) -> Action
    private let isCalling: @Sendable (State) -> Bool

    /// A middleware that calls through `client`.
    ///
    /// - Parameters:
    ///   - id: the id of its effect.
    ///   - client: the client of the service.
    ///   - policy: the rule for a request while another call runs. By default the latest wins.
    ///   - request: the request for a commit, or nil. It is called under the lock of the store, so it must be quick.
    ///   - cancels: whether a commit cancels the call.
    ///   - response: the action for a response. If it throws, `failure` makes the action.
    ///   - failure: the action for a failure.
    ///   - isCalling: whether a state waits for a response. A store that continues from such a saved state dispatches the
    ///     failure `interrupted`.
    package init(
        _ id: EffectID, _ client: any RemoteClient, _ policy: EffectPolicy = .latest,
        on request: @escaping @Sendable (borrowing Commit<State, Action>) -> RemoteRequest?,
        cancels: @escaping @Sendable (borrowing Commit<State, Action>) -> Bool = { _ in false },
        response: @escaping @Sendable (RemoteResponse) throws(RemoteFailure) -> Action,
        failure: @escaping @Sendable (RemoteFailure) -> Action,
        isCalling: @escaping @Sendable (State) -> Bool = { _ in false }
    ) {
        self.id = id
        self.client = client
        self.policy = policy
        self.request = request
        self.cancels = cancels
        self.response = response
        self.failure = failure
        self.isCalling = isCalling
    }

    package func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> {
        guard let request = request(commit) else { return cancels(commit) ? .cancel(id) : .none }
        return .run(id, policy) { [client, response] () async throws(RemoteFailure) in
            try await client.call(request, reading: response)
        } failure: { [failure] in
            failure($0)
        }
    }

    package func resume(_ state: State) -> Effect<Action> {
        guard isCalling(state) else { return .none }
        return .dispatch(failure(RemoteFailure(.interrupted, "the call was interrupted")))
    }
}
