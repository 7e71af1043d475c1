import HTTP
import HTTPServer
import JSON
import StoreHosting
import Stores

extension Service {
    func dispatch(_ id: PathSegment, _ call: Call) throws(Problem) {
        try refuseWhileDraining()
        try refuseWhileUnavailable()
        try Self.requireAcceptable(call.head)
        // Most sessions are in memory, and then nothing need be made to wait with.
        if case .session(let session)? = SessionID(id.decoded).flatMap(registry.find) {
            return try dispatch(session, call)
        }
        try withSession(id, call, dispatch)
    }

    private func dispatch(_ session: Session, _ call: Call) throws(Problem) {
        let order = try ActionOrder(call.head, session, maxWait: settings.maxWait)
        let body = try call.request.json()
        if order.key != nil, !order.options.isDryRun { return try dispatchOnce(body, order, session, call) }
        let action = PendingAction(order, session, call.later, self)
        session.store.dispatch(body, action.order.options, done: action.answer)
    }

    /// Dispatches once more what came to a session that was being put to rest.
    fileprivate func dispatchAgain(_ id: SessionID, _ call: Call) throws(Problem) {
        try find(id, call) { [self] (found, call) throws(Problem) in try dispatch(try Self.session(found), call) }
    }

    /// Dispatches what has a key, or answers as the first request with that key was answered.
    private func dispatchOnce(
        _ body: JSONValue, _ order: ActionOrder, _ session: Session, _ call: Call
    ) throws(Problem) {
        let key = order.key?.text ?? ""
        let fingerprint = RequestFingerprint(call.request.body, session.kind.masked(body))
        switch session.answers.enter(key, fingerprint, now: clock.now()) {
        case .first:
            var order = order
            let keeper = IdempotencyRecorder(key, fingerprint, order, session)
            order.options.idempotencyRecord = keeper.record
            let action = PendingAction(order, session, call.later, self, keeper)
            session.store.dispatch(body, order.options, done: action.answer)
        case .again(let answer):
            guard var response = Response(kept: answer.answer) else {
                throw Problem(.internalError, "The first answer cannot be read any more; use another key.")
            }
            response.fields.append(.init("Idempotency-Replayed", "true"))
            call.answer(response, about: session)
        case .underWay:
            throw Problem(
                .idempotencyConflict,
                "The first request with this Idempotency-Key is not answered yet; try again later.")
        case .other:
            throw Problem(
                .idempotencyMismatch, "This Idempotency-Key came with another body before; use a new key for it.")
        case .full:
            throw Problem(
                .rateLimited, "Too many keys are kept for this session; each is forgotten ten minutes after its answer."
            )
        }
    }

    fileprivate static func dispatched(_ result: DispatchResult) throws(Problem) -> Dispatched {
        switch result {
        case .done(let dispatched): return dispatched
        case .refused(let refusal, let index): throw Problem(refusal).with("index", index.map(JSONValue.integer))
        case .rejected(let rejection, let index):
            throw Problem(.actionRejected, "The session's state does not allow this now: \(rejection.reason).")
                .with("reason", .string(rejection.reason)).with("index", index.map(JSONValue.integer))
        case .revisionMismatch(let current):
            throw Problem(.revisionMismatch, "The session is at revision \(current); read it and decide anew.")
                .with("revision", .integer(current))
                .with(.init("ETag", EntityTag(revision: current).description))
        case .overloaded: throw Problem(.overloaded, "Too many actions wait for this session; nothing was committed.")
        case .ended:
            throw Problem(.sessionEnded, "This session was deleted or expired; nothing was committed.")
        }
    }
}

/// An action on its way through a store, and who waits for the answer: all in one piece, since each action has one.
private final class PendingAction: Sendable {
    let order: ActionOrder
    private let session: Session
    private let later: LaterCall
    private let service: Service
    private let keeper: IdempotencyRecorder?

    private var call: DeferredCall { later.call }

    init(
        _ order: ActionOrder, _ session: Session, _ later: LaterCall, _ service: Service,
        _ keeper: IdempotencyRecorder? = nil
    ) {
        self.order = order
        self.session = session
        self.later = later
        self.service = service
        self.keeper = keeper
    }

    /// Answers once all is kept that the answer may tell of.
    func answer(_ result: DispatchResult) {
        guard let journal = session.journal, !journal.isDurable else { return answerNow(result) }
        journal.whenDurable { [self] failure in
            guard let failure else { return answerNow(result) }
            keeper?.giveUp()
            call.answer { Problem(failure).response }
        }
    }

    private func answerNow(_ result: DispatchResult) {
        do throws(Problem) {
            let dispatched = try Service.dispatched(result)
            guard let wait = order.wait, !dispatched.isSettled else { return answer(dispatched) }
            call.answer(after: wait) { [self] in finish(order.answer(dispatched, session)) }
            dispatched.whenSettled { [self] in
                guard let journal = session.journal, !journal.isDurable else { return answer(dispatched) }
                journal.whenDurable { [self] failure in
                    guard let failure else { return answer(dispatched) }
                    call.answer { Problem(failure).response }
                }
            }
        } catch {
            keeper?.giveUp()
            // A session that is only put to rest has not ended. In a later turn it can be found again.
            if error.code == .sessionEnded, session.hasLeft, !service.isDraining {
                return later.resumeLater { [service, session] call throws(Problem) in
                    try service.dispatchAgain(session.id, call)
                }
            }
            call.answer { error.response }
        }
    }

    private func answer(_ dispatched: Dispatched) {
        guard keeper == nil else {
            let response = finish(order.answer(dispatched, session))
            return call.answer { response }
        }
        guard !call.answerHere({ order.answer(dispatched, session) }) else { return }
        call.answer { [self] in order.answer(dispatched, session) }
    }

    private func finish(_ response: Response) -> Response {
        keeper?.finish(response)
        return response
    }
}

/// Keeps the answer to an action that has a key.
private final class IdempotencyRecorder: Sendable {
    private let key: String
    private let fingerprint: RequestFingerprint
    private let order: ActionOrder
    private let session: Session

    init(_ key: String, _ fingerprint: RequestFingerprint, _ order: ActionOrder, _ session: Session) {
        self.key = key
        self.fingerprint = fingerprint
        self.order = order
        self.session = session
    }

    /// Makes the record that is persisted with the commits, inside the store. A response that waits for effects replaces it later.
    func record(_ result: DispatchResult) -> IdempotencyRecord? {
        switch result {
        case .done(let dispatched):
            return record(order.answer(dispatched, session), isLast: order.wait == nil || dispatched.isSettled)
        case .rejected:
            do throws(Problem) {
                _ = try Service.dispatched(result)
                return nil
            } catch {
                return record(error.response, isLast: true)
            }
        case .refused, .revisionMismatch, .overloaded, .ended: return nil
        }
    }

    /// Keeps the answer for which effects were awaited.
    func finish(_ response: Response) {
        guard session.answers.isAwaited(key) else { return }
        let record = record(response, isLast: true)
        session.store.inspect { state in
            session.journal?.append(
                CommitTransaction(baseRevision: state.revision, idempotencyRecord: record), state)
        }
    }

    /// There is no answer to keep.
    func giveUp() { session.answers.forget(key) }

    private func record(_ response: Response, isLast: Bool) -> IdempotencyRecord {
        let record = IdempotencyRecord(key: key, fingerprint: fingerprint.kept, answer: response.kept, at: session.now)
        if isLast { session.answers.keep(record) }
        return record
    }
}

/// How a client wants its action dispatched and answered.
struct ActionOrder: Sendable {
    var options: DispatchOptions
    /// What the client calls it, if it may send it again.
    let key: IdempotencyKey?
    /// How long to hold the answer for effects; nil not to.
    let wait: Duration?
    private let selection: Selection
    private let isMinimal: Bool
    private let applied: [Response.Field]

    init(_ head: RequestHead, _ session: Session, maxWait: Duration) throws(Problem) {
        key = try IdempotencyKey(head)
        selection = try Service.selection(head, session.kind)
        let preferences = Preferences(head.fields.values("prefer"))
        isMinimal = preferences.return == .minimal
        wait = preferences.wait.map { min(.seconds(min($0, 86_400)), maxWait) }
        var options = DispatchOptions()
        options.isDryRun = try Service.flag("dryRun", in: head)
        options.trace = Self.trace(head)
        options.expectedRevisions = try Self.revisions(head)
        options.selection = isMinimal || (wait != nil && !options.isDryRun) ? nil : selection
        self.options = options
        applied = Self.applied(preferences, wait)
    }

    /// The answer to a dispatch that went through: of the moment of its commit, or of now where effects were awaited.
    func answer(_ dispatched: Dispatched, _ session: Session) -> Response {
        if isMinimal {
            let revision = wait == nil ? dispatched.revision : session.store.revision
            return Response(.noContent, fields: applied, revision: revision)
        }
        let found = dispatched.state ?? session.store.read(selection)
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { json in
            json.member("revision", found.revision)
            json.member("outcome", dispatched.isCommitted ? "committed" : "ignored")
            json.member("state", raw: found.json)
            json.member("effects", dispatched.effects.map(\.name))
            if let patch = dispatched.patch { json.member("patch", patch) }
        }
        return .document(json.finish(), revision: found.revision, fields: applied)
    }

    /// What the request belongs to in the client's tracing. Of several, or of what is none, nothing is passed on.
    private static func trace(_ head: RequestHead) -> TraceContext? {
        guard head.fields.contains("traceparent") else { return nil }
        let values = head.fields.values("traceparent")
        return values.count == 1 ? values.first.flatMap { TraceContext($0) } : nil
    }

    private static func revisions(_ head: RequestHead) throws(Problem) -> [Int]? {
        guard head.fields.contains("if-match") else { return nil }
        switch try Service.condition(head.fields.values("if-match"), "If-Match") {
        case nil, .any: return nil
        // A tag that is no revision of ours is of none: it matches nothing.
        case .tags(let tags): return tags.filter { !$0.isWeak }.compactMap { revision($0.opaque) }
        }
    }

    private static func revision(_ text: String) -> Int? {
        Int(text).flatMap { String($0) == text ? $0 : nil }
    }

    private static func applied(_ preferences: Preferences, _ wait: Duration?) -> [Response.Field] {
        var applied: [String] = []
        if let wanted = preferences.return { applied.append("return=\(wanted.rawValue)") }
        if let wait { applied.append("wait=\(wait.components.seconds)") }
        return applied.isEmpty ? [] : [.init("Preference-Applied", applied.joined(separator: ", "))]
    }
}

extension Problem {
    fileprivate init(_ refusal: ActionDecodingError) {
        switch refusal {
        case .unknownAction(_, let nearest):
            let hint = nearest.isEmpty ? "" : " Did you mean \(nearest.joined(separator: " or "))?"
            self = Problem(.unknownAction, "This store has no action of this type.\(hint) GET /stores lists them all.")
                .with("nearest", .array(nearest.map(JSONValue.string)))
        case .internalAction(let type):
            self.init(.internalAction, "\(type) comes from the server's own middleware only.")
        case .invalidPayload(let violations):
            let first = violations.first.map { violation in
                violation.pointer == .root ? "it \(violation.detail)" : "\(violation.pointer) \(violation.detail)"
            }
            self = .invalid(violations, "The action does not fit its schema: \(first ?? "").")
        }
    }
}
