import HTTP
import HTTPServer
import JSON
import Security
import Sessions
import StoreHosting
import Stores

/// `POST /sessions/{id}/actions`: dispatches actions.
final class ActionResource: Sendable {
    private let access: SessionAccess
    private let call: SessionCall

    /// - Parameter maxWait: the longest time that a response is held for `Prefer: wait`.
    init(_ access: SessionAccess, maxWait: Duration) {
        self.access = access
        call = SessionCall(
            .act, mayRepeat: true, parse: { context throws(Problem) in try Self.request(context, maxWait: maxWait) },
            respond: Self.response)
    }

    func post(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.answer(context, at: id, call)
    }

    private static func request(_ context: RequestContext, maxWait: Duration) throws(Problem) -> SessionRequest {
        let head = context.request.head
        let key = head.fields.contains("idempotency-key") ? try IdempotencyKey(head) : nil
        let preferences = head.fields.contains("prefer") ? Preferences(head.fields.values("prefer")) : nil
        let isDryRun = try head.flag("dryRun")
        let expected = try RevisionSet(ifMatch: head)
        // A dry run starts no effect that could be awaited.
        let wait = isDryRun ? nil : preferences?.wait.map { min(.seconds(min($0, 86_400)), maxWait) }
        let action = ActionRequest(
            body: context.request.body, json: try context.request.jsonOnLoop(),
            selection: preferences?.return == .minimal ? nil : head.selection, expected: expected, isDryRun: isDryRun,
            key: key, wait: wait.map { ActionRequest.Wait(limit: $0, timer: context.pending) },
            appliedPreference: preferences.flatMap { appliedPreference($0, wait) },
            trace: head.fields.contains("traceparent") ? head.fields.trace : nil,
            requestID: context.exchange.connection.requestID)
        return SessionRequest(.dispatch(action), by: context.credentials)
    }

    private static func appliedPreference(_ preferences: Preferences, _ wait: Duration?) -> String? {
        let wanted: String? =
            switch preferences.return {
            case .minimal: "return=minimal"
            case .representation: "return=representation"
            case nil: nil
            }
        guard let wait else { return wanted }
        return (wanted.map { "\($0), " } ?? "") + "wait=\(wait.components.seconds)"
    }

    private static func response(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        switch result.content {
        case .action(let answer): return answer.message(of: result.session.historyID)
        case .remembered(let message):
            guard var response = Response(serialized: message, about: result.session) else {
                throw Problem(.key(.unreadable))
            }
            response.markReplayed()
            return response
        default: throw result.unexpected
        }
    }
}

extension PendingRequest: WaitTimer {}

extension SessionResult {
    /// A resource has got the result of another operation.
    var unexpected: Problem { Problem(.stored(.contradiction)) }
}

extension Problem {
    /// The problem with the reason why a weak tag of the request did not match, if it has one.
    func explainingWeakTags(of head: RequestHead) -> Problem {
        guard code == .revisionMismatch, head.fields.contains("if-match"),
            case .tags(let tags)? = try? head.condition("if-match", "If-Match"), tags.contains(where: \.isWeak)
        else { return self }
        var problem = Problem(
            code,
            "\(detail) If-Match has a weak tag (W/), and weak tags never match there (RFC 9110, section 13.1.1): send the tag "
                + "without W/.")
        (problem.members, problem.fields) = (members, fields)
        return problem
    }
}
