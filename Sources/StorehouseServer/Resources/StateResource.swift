import HTTP
import Security
import Sessions

/// `GET /sessions/{id}/state`: shows the state, now or at an earlier revision.
struct StateResource: Sendable {
    private static let state = SessionCall(.read, parse: stateRequest, respond: stateResponse)

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
        let tag = result.tag
        return switch result.content {
        case .document(let document): Response(.ok, fields: documentFields, revision: tag, body: document.body)
        case .unchanged: Response(.notModified, fields: stateFields, revision: tag)
        default: throw result.unexpected
        }
    }

    private static let stateFields = [Response.Field("Cache-Control", "private, no-cache")]
    /// Shared by all responses, which then need no list of their own.
    private static let documentFields = .ofDocument + stateFields
}
