import HTTP
import Security
import Sessions

/// `GET /sessions/{id}/state` and `/actions`: shows the state, now or at an earlier revision, and the action log.
struct StateResource: Sendable {
    private static let state = SessionCall(.read, parse: stateRequest, respond: stateResponse)
    private static let log = SessionCall(.read, parse: logRequest, respond: logResponse)

    let access: SessionAccess

    func readState(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.answer(context, at: id, Self.state)
    }

    private static func stateRequest(_ context: RequestContext) throws(Problem) -> SessionRequest {
        let head = context.head
        let reading = SessionOperation.Reading(
            selection: head.selection, revision: head.hasQuery ? try head.number("revision", in: 0...Int.max) : nil,
            conditions: try Preconditions(head))
        return SessionRequest(.read(reading), by: context.credentials)
    }

    private static func stateResponse(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        let tag = result.session.tag(result.revision)
        return switch result.content {
        case .document(let document): Response(.ok, fields: documentFields, revision: tag, body: document.body)
        case .unchanged: Response(.notModified, fields: stateFields, revision: tag)
        default: throw result.unexpected
        }
    }

    private static let stateFields = [Response.Field("Cache-Control", "private, no-cache")]
    /// Shared by all responses, which then need no list of their own.
    private static let documentFields = .ofDocument + stateFields

    /// The action log, oldest first, a page at a time.
    func readActions(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.answer(context, at: id, Self.log)
    }

    private static func logRequest(_ context: RequestContext) throws(Problem) -> SessionRequest {
        let after = try context.head.number("after", in: 0...Int.max) ?? 0
        return SessionRequest(.log(after: after, limit: try context.head.pageSize()), by: context.credentials)
    }

    private static func logResponse(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        guard case .log(let page, _) = result.content else { throw result.unexpected }
        var fields = [Response.Field("Cache-Control", "no-store")]
        if let next = page.next {
            // The link repeats the request with another start, whatever else is in its query (RFC 8288).
            let query = head.query.replacing("after", with: "\(next)")
            fields.append(.init("Link", "<\(head.path.raw)?\(query)>; rel=\"next\""))
        }
        return .document(page.json, fields: fields)
    }
}
