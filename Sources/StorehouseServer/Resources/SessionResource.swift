import HTTP
import HTTPServer
import JSON
import Observability
import Security
import Sessions
import StoreHosting
import Stores

/// `/sessions`, `/sessions/{id}` and `/sessions/{id}/forks`: creates, shows, forks and deletes sessions.
final class SessionResource: Sendable {
    private let access: SessionAccess
    private let kinds: SessionBuilder
    private let rates: ClientRates
    private let reservations = SessionReservations()
    private let log: Log

    /// - Parameter kinds: finds the kinds of new sessions.
    init(_ access: SessionAccess, _ kinds: SessionBuilder, _ rates: ClientRates, _ log: Log) {
        self.access = access
        self.kinds = kinds
        self.rates = rates
        self.log = log
    }

    func create(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let kind = try kind(try requestedStore(context.request))
        let wanted = SessionCreation(
            kind: kind, id: nil, conditions: .none, principal: context.credentials, client: rates.client(of: context))
        try access.answer(context, creating: wanted, Self.response)
    }

    /// The response that shows a session, which may be a new one.
    private static func response(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        switch result.content {
        case .description(let json): return .document(json, fields: [.init("Cache-Control", "no-store")])
        case .created(let json, let path):
            return .document(
                json, .created, revision: result.session.tag(result.revision),
                fields: [.init("Location", path), .init("Cache-Control", "no-store")])
        case .replayed(let actions):
            var json = JSONWriter(reservingCapacity: 64 + 96 * actions.count)
            json.object { $0.member("replay", actions) }
            return .document(json.finishLine(), fields: [.init("Cache-Control", "no-store")])
        default: throw result.unexpected
        }
    }

    /// - Parameter isUse: whether it counts as use of the session.
    func read(
        _ id: PathSegment, for permission: Permission = .read, isUse: Bool = true, _ context: RequestContext
    ) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let call = SessionCall(
            permission, isUse: isUse, parse: { SessionRequest(.describe(.none), by: $0.credentials) },
            respond: Self.response)
        try access.answer(context, at: id, call)
    }

    /// Answers 204 once the end is durable.
    func delete(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        let call = SessionCall(.delete) { context throws(Problem) in
            SessionRequest(.end(try Preconditions(context.head)), by: context.credentials)
        } respond: { [log] (result, _) in
            log.debug("session deleted", [.init("session", result.session.id.fingerprint)])
            return Response(.noContent)
        }
        try access.answer(context, at: id, call)
    }

    /// The kind with a name; without one, the default.
    private func kind(_ name: String?) throws(Problem) -> KindRuntime {
        try Problem.of { () throws(SessionFailure) in try kinds.kind(name) }
    }

    /// The name of a kind in the body; nil if it has none.
    private func requestedStore(_ request: Request) throws(Problem) -> String? {
        guard !request.body.isEmpty else { return nil }
        let body = try request.shortJSON()
        let violations = RequestSchemas.creation(store: .string()).validate(body)
        guard violations.isEmpty else {
            throw Problem(.invalid(violations, .creation(store: try kind(nil).kind.name)))
        }
        return body["store"]?.asString
    }
}

// Ids of clients.
extension SessionResource {
    /// Creates a session with the id that the client has made, unless there is one of the same kind already.
    func put(_ segment: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        guard let id = SessionID(segment.decoded) else {
            throw Problem(.path(.sessionID))
        }
        let store = try requestedStore(context.request)
        let kind = try kind(store)
        try Problem.of { () throws(SessionFailure) in try context.credentials.require(store: kind.kind.name) }
        let wanted = SessionCreation(
            kind: kind, id: id, conditions: try Preconditions(context.head), principal: context.credentials,
            client: rates.client(of: context))
        context.handleLater { [self] pending async throws(Problem) in
            let reservation = await reservations.reserve(id)
            guard let context = pending.here else { return }
            let call = SessionCall(.create) { context in
                SessionRequest(
                    .describe(wanted.conditions, kind: store == nil ? nil : kind.kind.name), by: context.credentials)
            } create: { _ in
                // It is held until the session can be found.
                withExtendedLifetime(reservation) { wanted }
            } respond: { (result, head) throws(Problem) in
                try Self.response(result, head)
            }
            try access.answer(context, at: segment, call)
        }
    }
}

// Forks.
extension SessionResource {
    /// Creates a session from a state of another.
    func fork(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let wanted = try Self.fork(context.request, client: rates.client(of: context))
        let call = SessionCall(
            .create, parse: { SessionRequest(.fork(wanted), by: $0.credentials) }, respond: Self.response)
        try access.answer(context, at: id, call)
    }

    private static func fork(_ request: Request, client: RateLimits.Client) throws(Problem) -> ForkRequest {
        let isDryRun = try request.head.flag("dryRun")
        guard !request.body.isEmpty else { return ForkRequest(revision: nil, isDryRun: isDryRun, client: client) }
        let body = try request.shortJSON()
        let violations = RequestSchemas.fork.validate(body)
        guard violations.isEmpty else {
            throw Problem(.invalid(violations, .fork))
        }
        let replay = try body["replay"].map { (replay) throws(Problem) in
            ForkRequest.Replay(
                skipped: Set(replay["skip"]?.asArray?.compactMap(\.asInteger) ?? []),
                replaced: try replaced(replay["replace"]?.asObject ?? [:]), last: replay["through"]?.asInteger)
        }
        return ForkRequest(revision: body["revision"]?.asInteger, replay: replay, isDryRun: isDryRun, client: client)
    }

    private static func replaced(_ actions: JSONObject) throws(Problem) -> [Int: JSONValue] {
        var replaced: [Int: JSONValue] = [:]
        for (name, action) in actions {
            guard let revision = Int(name), String(revision) == name else {
                let place = JSONPointer(tokens: ["replay", "replace", name])
                throw Problem(.invalid([.init(pointer: place, detail: "must have a revision as its name")], .fork))
            }
            replaced[revision] = action
        }
        return replaced
    }
}
