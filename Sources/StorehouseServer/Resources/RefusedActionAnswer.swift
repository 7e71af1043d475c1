import HTTP
import JSON
import Observability
import Security
import Sessions
import StoreHosting

/// The answer to `GET /sessions/{id}/actions?refused=true`: the last refused actions, newest first.
struct RefusedActionAnswer: JSONEncodable {
    static let call = SessionCall(.read, parse: request, respond: response)

    let action: RefusedAction

    private static func request(_ context: RequestContext) throws(Problem) -> SessionRequest {
        for name in Route.actions.parameters(of: .get) where name != "refused" {
            if context.head.query.first(name) != nil { throw Problem(.query(.together("refused", name))) }
        }
        return SessionRequest(.perform(RefusedActionList()), by: context.credentials)
    }

    private static func response(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        guard case .refusedActions(let actions) = result.content else { throw result.unexpected }
        var json = JSONWriter(reservingCapacity: 64 + actions.reduce(0) { $0 + $1.byteCount })
        json.object { $0.member("actions", actions.map(RefusedActionAnswer.init)) }
        return .document(json.finishLine(), fields: [.init("Cache-Control", "no-store")])
    }

    func encode(into json: inout JSONWriter) {
        let problem = Problem(action.failure)
        json.object { json in
            json.member("type", ifPresent: action.type)
            if let payload = action.payload { json.member("payload", raw: payload) }
            if action.isCut { json.member("isCut", true) }
            json.member("actor", raw: action.actor.json)
            json.member("index", ifPresent: action.index)
            json.member("status", problem.code.status.rawValue)
            json.member("code", problem.code.rawValue)
            json.member("reason", ifPresent: action.reason)
            json.member("revision", ifPresent: action.revision)
            json.member("at", Timestamp.rfc3339(action.at))
        }
    }
}
