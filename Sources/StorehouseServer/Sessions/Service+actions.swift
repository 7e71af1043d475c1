import HTTP
import JSON
import Stores

extension Service {
    func dispatch(_ id: PathSegment, _ call: Call) throws(Problem) {
        let (session, head) = (try session(id), call.head)
        try refuseWhileDraining()
        try Self.requireAcceptable(head)
        guard !head.fields.contains("idempotency-key") else {
            // Whoever sends a key counts on it: to commit a repeat would be worse than not to commit.
            throw Problem(.notImplemented, "This server does not keep Idempotency-Key yet; leave it out.")
        }
        let order = try ActionOrder(head, session, maxWait: settings.maxWait)
        let body = try call.request.json()
        let action = PendingAction(order, session, call.deferred)
        session.store.dispatch(body, action.order.options, done: action.answer)
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
    private let call: DeferredCall

    init(_ order: ActionOrder, _ session: Session, _ call: DeferredCall) {
        self.order = order
        self.session = session
        self.call = call
    }

    func answer(_ result: DispatchResult) {
        do throws(Problem) {
            let dispatched = try Service.dispatched(result)
            guard let wait = order.wait, !dispatched.isSettled else { return answer(dispatched) }
            call.answer(after: wait) { [self] in order.answer(dispatched, session) }
            dispatched.whenSettled { [self] in answer(dispatched) }
        } catch {
            call.answer { error.response }
        }
    }

    private func answer(_ dispatched: Dispatched) {
        guard !call.answerHere({ order.answer(dispatched, session) }) else { return }
        call.answer { [self] in order.answer(dispatched, session) }
    }
}

/// How a client wants its action dispatched and answered.
struct ActionOrder: Sendable {
    let options: DispatchOptions
    /// How long to hold the answer for effects; nil not to.
    let wait: Duration?
    private let selection: Selection
    private let isMinimal: Bool
    private let applied: [Response.Field]

    init(_ head: RequestHead, _ session: Session, maxWait: Duration) throws(Problem) {
        selection = try Service.selection(head, session.kind)
        let preferences = Preferences(head.fields.values("prefer"))
        isMinimal = preferences.return == .minimal
        wait = preferences.wait.map { min(.seconds(min($0, 86_400)), maxWait) }
        var options = DispatchOptions()
        options.isDryRun = try Service.flag("dryRun", in: head)
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
    fileprivate init(_ refusal: ActionRefusal) {
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
