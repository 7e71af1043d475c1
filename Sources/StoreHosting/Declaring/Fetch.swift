import JSON
public import RemoteServices
public import Stores

/// A call of a remote service after an action. Its result changes the state.
///
///     Fetch("quote", on: clear, from: "quotes", at: "/text", as: String.self) { _ in
///         .get("/random")
///     } then: { hall, text, _ in
///         hall.quote = text
///     }
///
///     Fetch("price", on: add, from: "prices", at: "/price", as: Double.self, id: \.self) { list, item in
///         .get("/prices/" + RemoteRequest.percentEncoded(item))
///     } then: { list, item, price, _ in
///         list.prices[item] = price
///     }
///
///     Fetch("notice", on: close, from: "webhook", as: RemoteResponse.Status.self) { poll in
///         .post(["question": .string(poll.question)])
///     } then: { _, _, _ in }
///
/// After each `clear` the service `quotes` is called, with the settings of `upstreams.quotes` in the configuration. Its answer
/// arrives as the internal action `quote`, and a failure as `quote-failed`; both are in the action log. Each call ends with one of
/// them, unless it is cancelled. The call is an effect with the name of the fetch. Another `clear` replaces a call that still runs,
/// unless the policy says otherwise.
///
/// The functions get the state, a value for each field of the action, then the answer or the failure, and last the time at which it
/// arrived, in milliseconds since 1970. The value of a field that the server fills is a ``Filled``.
///
/// A POST carries the header `Idempotency-Key`, unless the request has one. The key is a hash of the session, the fetch and the revision
/// that started it. With `retry:` a call that gets no answer is repeated with the same key, also by the next process: see ``StoreDefinition/Retry``.
public struct Fetch<State: Sendable, Values: Sendable, Output: Codable & Sendable>: StoreElement {
    private var plan: FetchPlan<State, Values, Output>
    private var call: FetchCall<State, Values, Output>

    private init(_ plan: FetchPlan<State, Values, Output>) {
        self.plan = plan
        call = FetchCall(plan)
    }

    /// The fetch of a secret: the answer, and the body of an answer that declines, are `***` in the action log.
    ///
    /// A fetch after an action with a secret field is such a fetch by itself, because a service may repeat what it was sent.
    ///
    /// Put the answer into a member that is `.secret`, or a ``Secret``: the state is persisted as its members say.
    public func secret() -> Fetch {
        var plan = plan
        plan.isDeclaredSecret = true
        return Fetch(plan)
    }

    /// The action with which an answer arrives, for tests.
    ///
    /// - Parameters:
    ///   - output: the answer.
    ///   - values: the values of the action that has caused the call; of several fields, a tuple.
    ///   - time: when it arrives, in milliseconds since 1970.
    public func arrival(of output: Output, for values: Values, at time: Int = 0) -> StoreAction<State> {
        call.arrived.action((values, output, time, nil))
    }

    /// The action of a failed call, for tests.
    ///
    /// - Parameters:
    ///   - failure: the failure.
    ///   - values: the values of the action that has caused the call; of several fields, a tuple.
    ///   - time: when it failed, in milliseconds since 1970.
    public func failure(_ failure: RemoteFailure, for values: Values, at time: Int = 0) -> StoreAction<State> {
        call.failure(values, failure, time)
    }

    /// The action with which a call with `retry:` is tried, for tests of a `TestStore`.
    ///
    /// - Parameters:
    ///   - values: the values of the action that has caused the call; of several fields, a tuple.
    ///   - revision: of that action.
    ///   - number: 1 for the first try.
    ///   - time: when it is tried, in milliseconds since 1970.
    public func `try`(_ number: Int = 1, for values: Values, since revision: Int, at time: Int = 0) -> StoreAction<
        State
    > {
        let id = plan.effectID(values)
        return call.tryAction.action((id, RequestKey.make("test", id, revision, salt: ""), revision, number, time))
    }

    /// The action of a try that has got no answer, for tests of a `TestStore`.
    ///
    /// - Parameters:
    ///   - failure: the failure of the try.
    ///   - values: the values of the action that has caused the call; of several fields, a tuple.
    ///   - time: when the next try is due, in milliseconds since 1970.
    public func postponement(_ failure: RemoteFailure, for values: Values, until time: Int) -> StoreAction<State> {
        call.postponed.action((plan.effectID(values), failure.code, failure.message, time))
    }

    public func add(to elements: inout StoreElements<State>) {
        call.arrived.add(to: &elements)
        call.failed.add(to: &elements)
        elements.fetches.append((plan.name, ObjectIdentifier(plan.trigger.handler), plan.trigger.name))
        elements.services.append(plan.service)
        elements.problems += plan.problems
        if plan.isSilent { elements.silentFetches.append(plan.name) }
        var actions = [ObjectIdentifier(plan.trigger.handler)]
        if let retry = plan.retry {
            elements.repeatedFetches.append(plan.name)
            call.tryAction.add(to: &elements)
            call.postponed.add(to: &elements)
            actions += [call.tryAction.handler, call.arrived.handler, call.failed.handler, call.postponed.handler].map {
                ObjectIdentifier($0)
            }
            elements.keepers.append(
                .init(fetch: plan.name, place: retry.place) { [call] in call.values(of: $0) != nil })
            elements.followers.append(call.beginning(retry))
            elements.makers.append(MiddlewareMaker { [call] _ in call.timers(retry) })
        }
        elements.makers.append(
            MiddlewareMaker(actions: actions) { [call, service = plan.service.name] clients in
                FetchMiddleware(call: call, client: clients[service])
            })
    }
}

// One initializer for each number of fields: the compiler cannot infer an `inout` parameter in front of a parameter pack.
extension Fetch {
    /// A call after an action without fields.
    ///
    /// - Parameters:
    ///   - name: the name of the effect, and of the action with which the answer arrives: letters, digits and `-`.
    ///   - trigger: the action that causes the call.
    ///   - service: the remote service, by its name in the configuration.
    ///   - pointer: the place of the value in the JSON of the answer (RFC 6901); `""` is the whole.
    ///   - type: the `Codable` type of the value; `RemoteResponse.Status` if only the status matters, and the body is not read.
    ///   - policy: the rule for a call while another one with the same id runs. By default the latest wins; with `retry` the first does,
    ///     so that no call is given up that may have been answered.
    ///   - retry: repeats a call that gets no answer; nil ends it.
    ///   - request: the request, from the state after the action; nil for no call.
    ///   - then: changes the state when the answer has arrived.
    ///   - failed: changes the state when the call has failed.
    ///   - isWaiting: whether a state waits for the answer. A store that continues from such a saved state gets the failure
    ///     `interrupted`. With `retry` the state knows its calls by itself. Without either, a server with durable storage warns at its
    ///     start if there is `failed`; a function that returns false says that no state waits.
    public init(
        _ name: String, on trigger: Action<State, Void>, from service: RemoteService, at pointer: String = "",
        as type: Output.Type, _ policy: EffectPolicy? = nil, retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, Output, Int) -> Void,
        failed: (@Sendable (inout State, RemoteFailure, Int) -> Void)? = nil,
        isWaiting: (@Sendable (State) -> Bool)? = nil
    ) where Values == Void {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: nil, request: { state, _ in request(state) },
                then: { state, _, output, time in then(&state, output, time) },
                failed: { state, _, failure, time in failed?(&state, failure, time) },
                waiting: { isWaiting?($0) == true ? [()] : [] }, isSilent: failed != nil && isWaiting == nil))
    }

    /// A call after an action with a field.
    ///
    /// - Parameters:
    ///   - name: the name of the effect, and of the action with which the answer arrives: letters, digits and `-`.
    ///   - trigger: the action that causes the call.
    ///   - service: the remote service, by its name in the configuration.
    ///   - pointer: the place of the value in the JSON of the answer (RFC 6901); `""` is the whole.
    ///   - type: the `Codable` type of the value; `RemoteResponse.Status` if only the status matters, and the body is not read.
    ///   - policy: the rule for a call while another one with the same id runs. By default the latest wins; with `retry` the first does,
    ///     so that no call is given up that may have been answered.
    ///   - id: distinguishes calls that do not replace each other, such as those for different items.
    ///   - retry: repeats a call that gets no answer; nil ends it.
    ///   - request: the request, from the state after the action; nil for no call.
    ///   - then: changes the state when the answer has arrived.
    ///   - failed: changes the state when the call has failed.
    ///   - waiting: the values of the calls that a state waits for. A store that continues from a saved state gets the failure
    ///     `interrupted` for each of them. With `retry` the state knows its calls by itself. Without either, a server with durable
    ///     storage warns at its start if there is `failed`; a function that returns no values says that no state waits.
    public init(
        _ name: String, on trigger: Action<State, Values>, from service: RemoteService, at pointer: String = "",
        as type: Output.Type, _ policy: EffectPolicy? = nil, id: (@Sendable (Values) -> String)? = nil,
        retry: StoreDefinition<State>.Retry? = nil, _ request: @escaping @Sendable (State, Values) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, Values, Output, Int) -> Void,
        failed: (@Sendable (inout State, Values, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [Values])? = nil
    ) {
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: id, request: request, then: then,
                failed: { state, values, failure, time in failed?(&state, values, failure, time) },
                waiting: waiting ?? { _ in [] }, isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with two fields.
    public init<A, B>(
        _ name: String, on trigger: Action<State, (A, B)>, from service: RemoteService, at pointer: String = "",
        as type: Output.Type, _ policy: EffectPolicy? = nil, id: (@Sendable (A, B) -> String)? = nil,
        retry: StoreDefinition<State>.Retry? = nil, _ request: @escaping @Sendable (State, A, B) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B)])? = nil
    ) where Values == (A, B) {
        var ownID: (@Sendable (Values) -> String)?
        if let id { ownID = { id($0.0, $0.1) } }
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: ownID,
                request: { state, values in request(state, values.0, values.1) },
                then: { state, values, output, time in then(&state, values.0, values.1, output, time) },
                failed: { state, values, failure, time in failed?(&state, values.0, values.1, failure, time) },
                waiting: waiting ?? { _ in [] }, isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with three fields.
    public init<A, B, C>(
        _ name: String, on trigger: Action<State, (A, B, C)>, from service: RemoteService, at pointer: String = "",
        as type: Output.Type, _ policy: EffectPolicy? = nil, id: (@Sendable (A, B, C) -> String)? = nil,
        retry: StoreDefinition<State>.Retry? = nil, _ request: @escaping @Sendable (State, A, B, C) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, C, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, C, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B, C)])? = nil
    ) where Values == (A, B, C) {
        var ownID: (@Sendable (Values) -> String)?
        if let id { ownID = { id($0.0, $0.1, $0.2) } }
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: ownID,
                request: { state, values in request(state, values.0, values.1, values.2) },
                then: { state, values, output, time in then(&state, values.0, values.1, values.2, output, time) },
                failed: { state, values, failure, time in failed?(&state, values.0, values.1, values.2, failure, time)
                },
                waiting: waiting ?? { _ in [] }, isSilent: failed != nil && waiting == nil))
    }

    /// A call after an action with four fields.
    public init<A, B, C, D>(
        _ name: String, on trigger: Action<State, (A, B, C, D)>, from service: RemoteService, at pointer: String = "",
        as type: Output.Type, _ policy: EffectPolicy? = nil, id: (@Sendable (A, B, C, D) -> String)? = nil,
        retry: StoreDefinition<State>.Retry? = nil,
        _ request: @escaping @Sendable (State, A, B, C, D) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, A, B, C, D, Output, Int) -> Void,
        failed: (@Sendable (inout State, A, B, C, D, RemoteFailure, Int) -> Void)? = nil,
        waiting: (@Sendable (State) -> [(A, B, C, D)])? = nil
    ) where Values == (A, B, C, D) {
        var ownID: (@Sendable (Values) -> String)?
        if let id { ownID = { id($0.0, $0.1, $0.2, $0.3) } }
        self.init(
            FetchPlan(
                name, trigger, service, pointer, policy, retry, id: ownID,
                request: { state, values in request(state, values.0, values.1, values.2, values.3) },
                then: { state, values, output, time in
                    then(&state, values.0, values.1, values.2, values.3, output, time)
                },
                failed: { state, values, failure, time in
                    failed?(&state, values.0, values.1, values.2, values.3, failure, time)
                },
                waiting: waiting ?? { _ in [] }, isSilent: failed != nil && waiting == nil))
    }
}
