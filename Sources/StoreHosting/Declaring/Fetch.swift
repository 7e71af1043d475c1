import JSON
public import RemoteServices
public import Stores

/// A call of a remote service after an action. Its result changes the state.
///
///     Fetch("quote", on: clear, from: "quotes", .get("/random"), at: "/text") { hall, text in hall.quote = text }
///
///     Fetch("price", on: add, from: "prices", at: "/price", as: Double.self, id: \.self) { list, item in
///         .get("/prices/" + RemoteRequest.percentEncoded(item))
///     } then: { list, item, price in
///         list.prices[item] = price
///     }
///
///     Fetch("notice", on: close, to: "webhook") { poll in .post(["question": .string(poll.question)]) }
///
/// After each `clear` the service `quotes` is called, with the settings of `upstreams.quotes` in the configuration. Its answer
/// arrives as the internal action `quote`, and a failure as `quote-failed`; both are in the action log. Each call ends with one of
/// them, unless it is cancelled. The call is an effect with the name of the fetch. Another `clear` replaces a call that still runs,
/// unless the policy says otherwise.
public struct Fetch<State: Sendable, Values: Sendable, Output: Codable & Sendable>: StoreElement {
    private let service: RemoteService
    private let call: FetchCall<State, Values, Output>
    private let problems: [String]

    /// A call whose functions get the values of the action that causes it; of several fields, as a tuple.
    ///
    /// - Parameters:
    ///   - name: the name of the effect, and of the action with which the answer arrives: letters, digits and `-`.
    ///   - trigger: the action that causes the call.
    ///   - service: the remote service, by its name in the configuration.
    ///   - pointer: the place of the value in the JSON of the answer (RFC 6901); `""` is the whole.
    ///   - type: the type of the value.
    ///   - policy: the rule for a call while another one with the same id runs.
    ///   - id: distinguishes calls that do not replace each other, such as those for different items.
    ///   - request: the request, from the state after the action; nil for no call.
    ///   - then: changes the state when the answer has arrived.
    ///   - failed: changes the state when the call has failed.
    ///   - waiting: the values of the calls that a state waits for. A store that continues from a saved state gets the failure
    ///     `interrupted` for each of them.
    public init(
        _ name: String, on trigger: Action<State, Values>, from service: RemoteService, at pointer: String = "",
        as type: Output.Type, _ policy: EffectPolicy = .latest, id: (@Sendable (Values) -> String)? = nil,
        _ request: @escaping @Sendable (State, Values) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, Values, Output) -> Void,
        failed: @escaping @Sendable (inout State, Values, RemoteFailure) -> Void = { _, _, _ in },
        waiting: @escaping @Sendable (State) -> [Values] = { _ in [] }
    ) {
        let place = try? JSONPointer(pointer)
        let problems =
            place == nil ? ["The pointer \"\(pointer)\" of the fetch \"\(name)\" must be empty or begin with '/'."] : []
        self.init(
            name, trigger, service, problems, policy, id,
            read: { response throws(RemoteFailure) in try response.value(at: place ?? .root) }, request, then, failed,
            waiting)
    }

    private init(
        _ name: String, _ trigger: Action<State, Values>, _ service: RemoteService, _ problems: [String],
        _ policy: EffectPolicy, _ id: (@Sendable (Values) -> String)?,
        read: @escaping @Sendable (RemoteResponse) throws(RemoteFailure) -> Output,
        _ request: @escaping @Sendable (State, Values) -> RemoteRequest?,
        _ then: @escaping @Sendable (inout State, Values, Output) -> Void,
        _ failed: @escaping @Sendable (inout State, Values, RemoteFailure) -> Void,
        _ waiting: @escaping @Sendable (State) -> [Values]
    ) {
        self.service = service
        self.problems = problems
        let values = trigger.fields.field("request")
        let value = Field<Output>.arriving("value")
        call = FetchCall(
            name: name, service: service.name, read: read, policy: policy, id: id, trigger: trigger, request: request,
            waiting: waiting,
            arrived: Action(name, "The answer of \(service.name).", .internal, ActionFields(values, value), []) {
                then(&$0, $1.0, $1.1)
            },
            failed: Action(
                name + "-failed", "The call of \(service.name) has failed.", .internal,
                ActionFields(
                    values, .choice("code", example: RemoteFailure.Code.timeout),
                    .string("message", .string(), example: "no answer")),
                []
            ) { failed(&$0, $1.0, RemoteFailure($1.1, $1.2)) })
    }

    /// A call after an action without fields.
    ///
    /// - Parameters:
    ///   - name: the name of the effect, and of the action with which the answer arrives: letters, digits and `-`.
    ///   - trigger: the action that causes the call.
    ///   - service: the remote service, by its name in the configuration.
    ///   - request: the request.
    ///   - pointer: the place of the value in the JSON of the answer (RFC 6901); `""` is the whole.
    ///   - type: the type of the value.
    ///   - policy: the rule for a call while another one runs.
    ///   - then: changes the state when the answer has arrived.
    ///   - failed: changes the state when the call has failed.
    ///   - isWaiting: whether a state waits for the answer. A store that continues from such a saved state gets the failure
    ///     `interrupted`.
    public init(
        _ name: String, on trigger: Action<State, Values>, from service: RemoteService, _ request: RemoteRequest,
        at pointer: String = "", as type: Output.Type, _ policy: EffectPolicy = .latest,
        then: @escaping @Sendable (inout State, Output) -> Void,
        failed: @escaping @Sendable (inout State, RemoteFailure) -> Void = { _, _ in },
        isWaiting: @escaping @Sendable (State) -> Bool = { _ in false }
    ) where Values == Void {
        self.init(
            name, on: trigger, from: service, at: pointer, as: type, policy, { _, _ in request },
            then: { state, _, output in then(&state, output) },
            failed: { state, _, failure in failed(&state, failure) },
            waiting: { isWaiting($0) ? [()] : [] })
    }

    /// A call for a text after an action without fields.
    ///
    /// - Parameters:
    ///   - name: the name of the effect, and of the action with which the answer arrives: letters, digits and `-`.
    ///   - trigger: the action that causes the call.
    ///   - service: the remote service, by its name in the configuration.
    ///   - request: the request.
    ///   - pointer: the place of the text in the JSON of the answer (RFC 6901).
    ///   - policy: the rule for a call while another one runs.
    ///   - then: changes the state when the answer has arrived.
    ///   - failed: changes the state when the call has failed.
    ///   - isWaiting: whether a state waits for the answer. A store that continues from such a saved state gets the failure
    ///     `interrupted`.
    public init(
        _ name: String, on trigger: Action<State, Values>, from service: RemoteService, _ request: RemoteRequest,
        at pointer: String, _ policy: EffectPolicy = .latest,
        then: @escaping @Sendable (inout State, String) -> Void,
        failed: @escaping @Sendable (inout State, RemoteFailure) -> Void = { _, _ in },
        isWaiting: @escaping @Sendable (State) -> Bool = { _ in false }
    ) where Values == Void, Output == String {
        self.init(
            name, on: trigger, from: service, request, at: pointer, as: String.self, policy, then: then, failed: failed,
            isWaiting: isWaiting)
    }

    /// A call whose answer has no value, such as one of a webhook: every status of success is fine, and the body is not read.
    ///
    /// - Parameters:
    ///   - name: the name of the effect, and of the action with which the answer arrives: letters, digits and `-`.
    ///   - trigger: the action that causes the call.
    ///   - service: the remote service, by its name in the configuration.
    ///   - policy: the rule for a call while another one with the same id runs.
    ///   - id: distinguishes calls that do not replace each other, such as those for different items.
    ///   - request: the request, from the state after the action; nil for no call.
    ///   - then: changes the state when the answer has arrived.
    ///   - failed: changes the state when the call has failed.
    ///   - waiting: the values of the calls that a state waits for. A store that continues from a saved state gets the failure
    ///     `interrupted` for each of them.
    public init(
        _ name: String, on trigger: Action<State, Values>, to service: RemoteService, _ policy: EffectPolicy = .latest,
        id: (@Sendable (Values) -> String)? = nil, _ request: @escaping @Sendable (State, Values) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, Values) -> Void = { _, _ in },
        failed: @escaping @Sendable (inout State, Values, RemoteFailure) -> Void = { _, _, _ in },
        waiting: @escaping @Sendable (State) -> [Values] = { _ in [] }
    ) where Output == Int {
        self.init(
            name, trigger, service, [], policy, id,
            read: { response throws(RemoteFailure) in
                try response.requireSuccess()
                return response.status
            }, request, { state, values, _ in then(&state, values) }, failed, waiting)
    }

    /// A call after an action without fields, whose answer has no value.
    ///
    /// - Parameters:
    ///   - name: the name of the effect, and of the action with which the answer arrives: letters, digits and `-`.
    ///   - trigger: the action that causes the call.
    ///   - service: the remote service, by its name in the configuration.
    ///   - policy: the rule for a call while another one runs.
    ///   - request: the request, from the state after the action; nil for no call.
    ///   - then: changes the state when the answer has arrived.
    ///   - failed: changes the state when the call has failed.
    ///   - isWaiting: whether a state waits for the answer. A store that continues from such a saved state gets the failure
    ///     `interrupted`.
    public init(
        _ name: String, on trigger: Action<State, Values>, to service: RemoteService, _ policy: EffectPolicy = .latest,
        _ request: @escaping @Sendable (State) -> RemoteRequest?,
        then: @escaping @Sendable (inout State) -> Void = { _ in },
        failed: @escaping @Sendable (inout State, RemoteFailure) -> Void = { _, _ in },
        isWaiting: @escaping @Sendable (State) -> Bool = { _ in false }
    ) where Values == Void, Output == Int {
        self.init(
            name, on: trigger, to: service, policy, { state, _ in request(state) },
            then: { state, _ in then(&state) },
            failed: { state, _, failure in failed(&state, failure) },
            waiting: { isWaiting($0) ? [()] : [] })
    }

    /// The action with which an answer arrives, for tests: its value, or its status if it has no value.
    public func arrival(of output: Output, for values: Values) -> StoreAction<State> {
        call.arrived.action((values, output))
    }

    /// The action of a failed call, for tests.
    public func failure(_ failure: RemoteFailure, for values: Values) -> StoreAction<State> {
        call.failure(values, failure)
    }

    public func add(to elements: inout StoreElements<State>) {
        call.arrived.add(to: &elements)
        call.failed.add(to: &elements)
        elements.fetches.append((call.name, ObjectIdentifier(call.trigger.handler), call.trigger.name))
        elements.services.append(service)
        elements.makers.append(
            MiddlewareMaker(actions: [ObjectIdentifier(call.trigger.handler)]) { [call] clients in
                FetchMiddleware(call: call, client: clients[call.service])
            })
        elements.problems += problems
    }
}

/// The call that a ``Fetch`` makes, and the actions that follow it.
private struct FetchCall<State: Sendable, Values: Sendable, Output: Codable & Sendable>: Sendable {
    let name: String
    let service: String
    let read: @Sendable (RemoteResponse) throws(RemoteFailure) -> Output
    let policy: EffectPolicy
    let id: (@Sendable (Values) -> String)?
    let trigger: Action<State, Values>
    let request: @Sendable (State, Values) -> RemoteRequest?
    let waiting: @Sendable (State) -> [Values]
    let arrived: Action<State, (Values, Output)>
    let failed: Action<State, (Values, RemoteFailure.Code, String)>

    func failure(_ values: Values, _ failure: RemoteFailure) -> StoreAction<State> {
        failed.action((values, failure.code, failure.message))
    }
}

extension RemoteResponse {
    /// A value in the JSON body.
    fileprivate func value<Value: Decodable>(at pointer: JSONPointer) throws(RemoteFailure) -> Value {
        guard let value = pointer.value(in: try json()) else {
            throw RemoteFailure(.badBody, "the answer has nothing at \(pointer)")
        }
        do throws(JSONDecodingError) {
            return try value.decode()
        } catch {
            throw RemoteFailure(.badBody, "the answer at \(pointer): \(error)")
        }
    }
}

private struct FetchMiddleware<State: Sendable, Values: Sendable, Output: Codable & Sendable>: Middleware {
    let call: FetchCall<State, Values, Output>
    let client: any RemoteClient

    func respond(to commit: borrowing Commit<State, StoreAction<State>>) -> Effect<StoreAction<State>> {
        guard let values = call.trigger.values(in: commit.action), let request = call.request(commit.state, values)
        else {
            return .none
        }
        return .run(EffectID(call.name, for: call.id?(values)), call.policy) {
            [call, client] () async throws(RemoteFailure) in
            call.arrived.action((values, try await client.call(request, reading: call.read)))
        } failure: { [call] in
            call.failure(values, $0)
        }
    }

    func resume(_ state: State) -> Effect<StoreAction<State>> {
        .merge(call.waiting(state).map { .dispatch(call.failure($0, .interrupted)) })
    }
}

extension ActionFields {
    /// All fields as one member of another action; left out if there are none.
    fileprivate func field(_ name: String) -> Field<Values> {
        Field(
            name, schema: schema(), example: .object(example),
            read: { [self] json in try? read(json?.asObject ?? [:]) },
            write: { [self] values in properties.isEmpty ? nil : .object(write(values)) }
        ).required(!properties.isEmpty)
    }
}

extension Field where Value: Codable {
    /// A value that only the program itself sends, and that needs no example.
    fileprivate static func arriving(_ name: String) -> Field {
        Field(
            name, schema: JSONSchema(of: Value.self), example: nil, read: { try? ($0 ?? .null).decode(Value.self) },
            write: { try? JSONValue(encoding: $0) })
    }
}
