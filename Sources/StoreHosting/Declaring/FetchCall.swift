import JSON
import RemoteServices
import Stores

/// The calls of a ``Fetch``, and the actions that follow them.
struct FetchCall<State: Sendable, Values: Sendable, Output: Codable & Sendable>: Sendable {
    let plan: FetchPlan<State, Values, Output>
    /// The last value of both is the name of the effect, if that of an older program was another one.
    let arrived: Action<State, (Values, Output, Int, String?)>
    let failed: Action<State, (Values, RemoteFailure.Code, String, Int?, String?, Int, String?)>
    /// Begins a try of a call that is repeated: the effect, the key, the revision of which it is made, the number of the try, and the time.
    let tryAction: Action<State, (String, String, Int, Int, Int)>
    /// Ends a try that got no answer: the effect, the failure, and the time of the next try.
    let postponed: Action<State, (String, RemoteFailure.Code, String, Int)>

    init(_ plan: FetchPlan<State, Values, Output>) {
        self.plan = plan
        let (name, retry) = (plan.name, plan.retry)
        let values = plan.trigger.fields.field("request")
        let body = Field<String>.string("body", .string(), example: "{}").optional()
        let value = Field<Output>.arriving("value")
        arrived = Action(
            name, "The answer of \(plan.service.name).", .internal,
            ActionFields(values, plan.isSecret ? value.secret() : value, .time("at"), Field<String>.effect.optional()),
            []
        ) { state, fields in
            retry?.end(fields.3 ?? plan.effectID(fields.0), in: &state)
            plan.then(&state, fields.0, fields.1, fields.2)
        }
        failed = Action(
            name + "-failed", "The call of \(plan.service.name) has failed.", .internal,
            ActionFields(
                values, .failureCode, .failureMessage,
                Field<Int>.integer("status", 100...599, example: 402).optional(),
                plan.isSecret ? body.secret() : body, .time("at"), Field<String>.effect.optional()), []
        ) { state, fields in
            retry?.end(fields.6 ?? plan.effectID(fields.0), in: &state, evenIfNew: fields.1 == .interrupted)
            let failure = RemoteFailure(fields.1, fields.2, status: fields.3, body: fields.4 ?? "")
            plan.failed(&state, fields.0, failure, fields.5)
        }
        tryAction = Action(
            name + "-try", "\(plan.service.name) is called, for the first time or again.", .internal,
            ActionFields(
                .effect, .string("key", .string(), example: ""), .integer("since", atLeast: 1, example: 1),
                .integer("try", atLeast: 1, example: 1), .time("at")),
            [
                .ignore { state, effect, key, _, number, _ in
                    retry?.calls(of: state)[effect]?.mayBegin(number, with: key) != true
                }
            ]
        ) { state, fields in
            retry?.update(fields.0, in: &state) { $0.begin(fields.3, with: fields.1, since: fields.2, at: fields.4) }
        }
        postponed = Action(
            name + "-postponed", "A call of \(plan.service.name) got no answer, and is repeated.", .internal,
            ActionFields(.effect, .failureCode, .failureMessage, .time("at")),
            [.ignore { state, effect, _, _, _ in retry?.calls(of: state)[effect] == nil }]
        ) { state, fields in
            retry?.update(fields.0, in: &state) { $0.wait(until: fields.3) }
        }
    }

    /// - Parameter effect: of the call, if the state has kept it.
    func failure(
        _ values: Values, _ failure: RemoteFailure, _ time: Int, _ effect: String? = nil
    ) -> StoreAction<State> {
        let answer = failure.answer
        return failed.action(
            (
                values, failure.code, failure.message, answer?.status, answer?.body, time,
                differing(effect, values)
            ))
    }

    /// - Parameter effect: of the call, if the state has kept it.
    func arrival(_ values: Values, _ output: Output, _ time: Int, _ effect: String? = nil) -> StoreAction<State> {
        arrived.action((values, output, time, differing(effect, values)))
    }

    /// The name of an effect, unless this program would give it the same.
    private func differing(_ effect: String?, _ values: Values) -> String? {
        effect.flatMap { $0.utf8.elementsEqual(plan.effectID(values).utf8) ? nil : $0 }
    }

    /// Puts the call that an action causes into the state, in the same commit.
    func beginning(_ retry: StoreDefinition<State>.Retry) -> Follower<State> {
        let values = plan.trigger.fields.write
        return Follower(last: plan.trigger.handler) { [plan] (state, input: Values) in
            let effect = plan.effectID(input)
            if plan.policy == .leading, retry.calls(of: state)[effect] != nil { return }
            guard let request = plan.request(state, input) else { return }
            retry.add(
                PendingCalls.Entry(effect: effect, fetch: plan.name, values: values(input), request: request),
                to: &state
            )
        }
    }

    /// The timers of the next tries.
    func timers(_ retry: StoreDefinition<State>.Retry) -> Timers<State, StoreAction<State>> {
        Timers(EffectID(plan.name + ".retry")) { [tryAction, plan] state in
            retry.calls(of: state).of(plan.name).compactMap { call in
                guard let (text, since) = call.key, let due = call.due else { return nil }
                let number = call.isWaiting ? call.tries + 1 : call.tries
                let next = tryAction.action((call.effect, text, since, number, due))
                return StateTimer(plan.effect(call.effect), at: due, next)
            }
        }
    }

    /// The values of the action that has caused a call.
    func values(of call: PendingCalls.Entry) -> Values? { try? plan.trigger.fields.read(call.payload) }
}

struct FetchMiddleware<State: Sendable, Values: Sendable, Output: Codable & Sendable>: Middleware {
    let call: FetchCall<State, Values, Output>
    let client: any RemoteClient

    func respond(to commit: borrowing Commit<State, StoreAction<State>>) -> Effect<StoreAction<State>> {
        if let values = call.plan.trigger.values(in: commit.action) { return begin(values, commit.state) }
        guard let retry = call.plan.retry else { return .none }
        guard let (effect, _, _, number, _) = call.tryAction.values(in: commit.action) else {
            return begin(retry.calls(of: commit.state).of(call.plan.name).filter { $0.key == nil })
        }
        guard let pending = retry.calls(of: commit.state)[effect], let values = call.values(of: pending) else {
            return .none
        }
        return run(pending, values, number, retry)
    }

    /// Calls that could not begin, because too many effects were running. One of them has ended.
    private func begin(_ pending: [PendingCalls.Entry]) -> Effect<StoreAction<State>> {
        pending.isEmpty ? .none : .merge(pending.map { call in .dispatch { nextTry(call, at: $0) } })
    }

    func resume(_ state: State) -> Effect<StoreAction<State>> {
        let pending = call.plan.retry?.calls(of: state).of(call.plan.name) ?? []
        let effects = Set(pending.map(\.effect))
        let lost = call.plan.waiting(state).filter { !effects.contains(call.plan.effectID($0)) }
        return .merge(
            lost.map { values in .dispatch { call.failure(values, .interruptedCall, $0.now) } }
                + pending.map(resume))
    }

    /// The call that an action causes. One that is repeated is in the state, and its key must be there too before it is sent.
    private func begin(_ values: Values, _ state: State) -> Effect<StoreAction<State>> {
        let effect = call.plan.effectID(values)
        if let retry = call.plan.retry {
            guard let pending = retry.calls(of: state)[effect], pending.key == nil else { return .none }
            return .dispatch { nextTry(pending, at: $0) }
        }
        guard let request = call.plan.request(state, values) else { return .none }
        return .run(call.plan.effect(effect), call.plan.policy) { [call, client] () async throws(RemoteFailure) in
            let context = EffectContext.current
            let request = request.keyed {
                RequestKey.make(context?.identity, effect, context?.cause ?? 0, salt: RequestKey.salt())
            }
            let output = try await client.call(request) { response throws(RemoteFailure) in
                try call.plan.read(response)
            }
            return call.arrival(values, output, now)
        } failure: { [call] in
            call.failure(values, $0, now)
        }
    }

    private func nextTry(_ pending: PendingCalls.Entry, at moment: StoreMoment) -> StoreAction<State> {
        let (key, since) = pending.key ?? newKey(pending.effect, moment)
        return call.tryAction.action((pending.effect, key, since, pending.tries + 1, moment.now))
    }

    private func newKey(_ effect: String, _ moment: StoreMoment) -> (text: String, since: Int) {
        let salt = moment.isReproducible ? "" : RequestKey.salt()
        return (RequestKey.make(moment.identity, effect, moment.revision, salt: salt), moment.revision)
    }

    /// Continues a call of a saved state. One that waits has a timer.
    private func resume(_ pending: PendingCalls.Entry) -> Effect<StoreAction<State>> {
        .dispatch { moment in
            guard moment.isCopy || pending.isOfAnother(moment.identity) else {
                return pending.isWaiting ? nil : nextTry(pending, at: moment)
            }
            return call.values(of: pending).map { call.failure($0, .interruptedCall, moment.now, pending.effect) }
        }
    }

    private func run(
        _ pending: PendingCalls.Entry, _ values: Values, _ number: Int, _ retry: StoreDefinition<State>.Retry
    ) -> Effect<StoreAction<State>> {
        // Only the first may replace another: any other is due for a call that has ended, or that still runs.
        .run(call.plan.effect(pending.effect), pending.isFirst == true ? .latest : .leading) {
            [call, client] () async throws(RemoteFailure) in
            guard number <= retry.limit, pending.request.mayBeRepeated || pending.isUncertain != true else {
                throw .interruptedCall
            }
            let request = pending.request.keyed { pending.key?.text ?? "" }
            let output = try await client.call(request) { response throws(RemoteFailure) in
                try call.plan.read(response)
            }
            return call.arrival(values, output, now, pending.effect)
        } failure: { [call] failure in
            let mayBeRepeated = pending.request.mayBeRepeated ? failure.isInTransit : failure.isBeforeSending
            guard mayBeRepeated, number < retry.limit else {
                return call.failure(values, failure, now, pending.effect)
            }
            let due = now + retry.pause(after: number)
            return call.postponed.action((pending.effect, failure.code, failure.message, due))
        }
    }
}

/// The time of the store whose effect calls this.
private var now: Int { EffectContext.current?.now ?? 0 }

extension RemoteRequest {
    /// The request with the key by which the service can tell a repetition, if it is a POST without a key of its own.
    fileprivate func keyed(_ key: () -> String) -> RemoteRequest {
        guard method == "POST", !headers.keys.contains(where: { $0.lowercased() == "idempotency-key" }) else {
            return self
        }
        var request = self
        // A quoted string, as the draft demands (draft-ietf-httpapi-idempotency-key-header).
        request.headers["Idempotency-Key"] = "\"\(key())\""
        request.isIdempotent = isIdempotent ?? true
        return request
    }
}

extension RemoteRequest {
    /// Whether a service that got the same request, with the same key, acts once.
    fileprivate var mayBeRepeated: Bool {
        isIdempotent ?? ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "POST"].contains(method)
    }
}

extension RemoteFailure {
    /// The failure of a call whose process ended, or whose state was copied to another session.
    static let interruptedCall = RemoteFailure(.interrupted, "the call was interrupted")
}

extension ActionFields {
    /// All fields as one member of another action; left out if there are none.
    fileprivate func field(_ name: String) -> Field<Values> {
        Field(
            name, schema: schema(), example: .object(example),
            read: { [self] json in try? read(json?.asObject ?? [:]) },
            write: { [self] values in isEmpty ? nil : .object(write(values)) }
        ).required(!isEmpty)
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

extension Field where Value == Int {
    /// A time in milliseconds since 1970, which actions of older programs lack.
    fileprivate static func time(_ name: String) -> Field {
        integer(name, atLeast: 0, example: 0).defaulting(to: 0)
    }
}

extension Field where Value == String {
    fileprivate static var effect: Field { string("effect", .string(), example: "") }
    fileprivate static var failureMessage: Field { string("message", .string(), example: "no answer") }
}

extension Field where Value == RemoteFailure.Code {
    fileprivate static var failureCode: Field { choice("code", example: .timeout) }
}
