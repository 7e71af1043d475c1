public import RemoteServices
public import Stores

/// Work that an action starts and that ends in another action, such as a call of a remote service whose answer needs code.
///
///     Call("animal.fetch", on: fetchAnimal, to: animals, cancelledBy: cancelFetch) { clients, _ in
///         arrived(try await AnimalService(clients).animal())
///     } failed: { failure in
///         fetchFailed(failure.code, failure.message)
///     } isWaiting: {
///         $0.isLoading
///     }
///
/// It is an effect. It ends with the action that it returns, or with that of `failed`, unless it is cancelled: by the action
/// `cancelledBy`, by a newer call if the policy says so, or with its store. A ``Fetch`` is shorter if the answer needs no code.
public struct Call<State: Sendable, Values: Sendable>: StoreElement {
    private typealias Work =
        @Sendable (RemoteClients, State, Values) async throws(RemoteFailure) -> StoreAction<State>

    private let id: EffectID
    private let trigger: Action<State, Values>
    private let policy: EffectPolicy
    private let service: RemoteService
    private let cancellation: Action<State, Void>?
    private let work: Work
    private let failed: @Sendable (RemoteFailure) -> StoreAction<State>
    private let isWaiting: @Sendable (State) -> Bool

    /// Work that follows an action.
    ///
    /// - Parameters:
    ///   - id: the name of the effect.
    ///   - trigger: the action that starts it.
    ///   - policy: the rule for a call while another one runs. By default the latest wins.
    ///   - service: the remote service that it calls.
    ///   - cancellation: the action that cancels it.
    ///   - work: runs outside of the store, and returns an action with the result. It gets the clients of the services, the state after
    ///     the action, and a value for each field of the action.
    ///   - failed: the action for a failure.
    ///   - isWaiting: whether a state waits for the result. A store that continues from such a saved state gets the failure
    ///     `interrupted`.
    public init<each Value>(
        _ id: EffectID, on trigger: Action<State, Values>, to service: RemoteService, _ policy: EffectPolicy = .latest,
        cancelledBy cancellation: Action<State, Void>? = nil,
        _ work:
            @escaping @Sendable (RemoteClients, State, repeat each Value) async throws(RemoteFailure) -> StoreAction<
                State
            >,
        failed: @escaping @Sendable (RemoteFailure) -> StoreAction<State>,
        isWaiting: @escaping @Sendable (State) -> Bool = { _ in false }
    ) where Values == (repeat each Value) {
        self.id = id
        self.trigger = trigger
        self.policy = policy
        self.service = service
        self.cancellation = cancellation
        self.work = { (clients, state, values) async throws(RemoteFailure) in
            try await work(clients, state, repeat each values)
        }
        self.failed = failed
        self.isWaiting = isWaiting
    }

    public func add(to elements: inout StoreElements<State>) {
        elements.fetches.append((id.description, ObjectIdentifier(trigger.handler), trigger.name))
        elements.services.append(service)
        let actions = [trigger.handler] + (cancellation.map { [$0.handler] } ?? [])
        elements.makers.append(
            MiddlewareMaker(actions: actions.map { ObjectIdentifier($0) }) { clients in
                CallMiddleware(call: self, clients: clients)
            })
    }

    fileprivate func effect(
        after commit: borrowing Commit<State, StoreAction<State>>, _ clients: RemoteClients
    ) -> Effect<StoreAction<State>> {
        if let cancellation, cancellation.handler === commit.action.handler { return .cancel(id) }
        guard let values = trigger.values(in: commit.action) else { return .none }
        return .run(id, policy) { [work, state = commit.state] () async throws(RemoteFailure) in
            try await work(clients, state, values)
        } failure: { [failed] in
            failed($0)
        }
    }

    fileprivate func failure(of state: State) -> Effect<StoreAction<State>> {
        isWaiting(state) ? .dispatch(failed(.interruptedCall)) : .none
    }
}

private struct CallMiddleware<State: Sendable, Values: Sendable>: Middleware {
    let call: Call<State, Values>
    let clients: RemoteClients

    func respond(to commit: borrowing Commit<State, StoreAction<State>>) -> Effect<StoreAction<State>> {
        call.effect(after: commit, clients)
    }

    func resume(_ state: State) -> Effect<StoreAction<State>> { call.failure(of: state) }
}

/// Actions that a store sends to itself when it continues from a saved state.
///
///     Resume { login in login.lacksPassword ? [forget()] : [] }
public struct Resume<State: Sendable>: StoreElement {
    private let actions: @Sendable (State) -> [StoreAction<State>]

    /// Actions after a restoration.
    ///
    /// - Parameter actions: the actions for a restored state, in order; of the definition that contains this.
    public init(_ actions: @escaping @Sendable (State) -> [StoreAction<State>]) { self.actions = actions }

    public func add(to elements: inout StoreElements<State>) {
        elements.makers.append(MiddlewareMaker(actions: []) { _ in ResumeMiddleware(actions: actions) })
    }
}

private struct ResumeMiddleware<State: Sendable>: Middleware {
    let actions: @Sendable (State) -> [StoreAction<State>]

    func respond(to commit: borrowing Commit<State, StoreAction<State>>) -> Effect<StoreAction<State>> { .none }

    func resume(_ state: State) -> Effect<StoreAction<State>> { .merge(actions(state).map { .dispatch($0) }) }
}
