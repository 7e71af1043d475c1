import HTTP
import Security
import Sessions
import Stores

/// `GET /sessions/{id}/actions`: shows the action log, a page at a time, and the actions that were refused.
struct ActionLogResource: Sendable {
    private static let log = SessionCall(.read, parse: request, respond: response)

    let access: SessionAccess

    func read(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let call = try context.head.flag("refused") ? RefusedActionAnswer.call : Self.log
        try access.answer(context, at: id, call)
    }

    private static func request(_ context: RequestContext) throws(Problem) -> SessionRequest {
        SessionRequest(.log(try ActionLogQuery(context.head)), by: context.credentials)
    }

    private static func response(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        guard case .log(let page, _) = result.content else { throw result.unexpected }
        var fields = [Response.Field("Cache-Control", "no-store")]
        if let next = page.next {
            // The link repeats the request with another start, whatever else is in its query (RFC 8288).
            let query = head.query.replacing(page.query.startName, with: "\(next)")
            fields.append(.init("Link", "<\(head.path.raw)?\(query)>; rel=\"next\""))
        }
        return .document(page.json, fields: fields)
    }
}

extension ActionLogQuery {
    /// The name of the parameter with the start.
    fileprivate var startName: String {
        switch start {
        case .after: "after"
        case .before: "before"
        }
    }

    fileprivate init(_ head: RequestHead) throws(Problem) {
        let after = try head.number("after", in: 0...Int.max)
        let before = try head.number("before", in: 0...Int.max)
        if after != nil, before != nil { throw Problem(.query(.together("after", "before"))) }
        let type = head.query.first("type")
        if let type, type.isEmpty { throw Problem(.query(.actionType)) }
        self.init(
            before.map(Start.before) ?? .after(after ?? 0), limit: try head.pageSize(), type: type,
            origin: try Self.origin(head), showsChanges: try head.flag("changes"))
    }

    private static func origin(_ head: RequestHead) throws(Problem) -> Origin? {
        guard let name = head.query.first("origin") else { return nil }
        guard let origin = Origin(rawValue: name) else {
            throw Problem(.query(.choice("origin", Origin.allCases.map(\.rawValue))))
        }
        return origin
    }
}
