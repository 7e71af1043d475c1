import HTTP
import JSON
import Security
import Sessions

/// `GET /sessions/{id}/presence`: shows who watches the session.
struct PresenceResource: Sendable {
    private static let call = SessionCall(
        .presence, parse: { SessionRequest(.perform(PresenceReading()), by: $0.credentials) }, respond: response)

    let access: SessionAccess

    func read(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.answer(context, at: id, Self.call)
    }

    private static func response(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        guard case .present(let list) = result.content else { throw result.unexpected }
        var json = JSONWriter(reservingCapacity: 64 + 192 * (list.present?.count ?? 0))
        json.value(list)
        return .document(json.finishLine(), fields: [.init("Cache-Control", "no-store")])
    }
}
