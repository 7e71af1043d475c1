import HTTP
import HTTPServer
import JSON
import Observability
import StoreHosting

// The line about an action that was refused, at log level debug.
extension RequestRecorder {
    /// Logs why an action was refused, without its payload.
    ///
    /// The action is parsed again, because it need not have come so far that it was known.
    func writeRefusal(_ response: Response, of request: Request, _ route: Route?, on connection: any RequestSource) {
        guard isLoggingRefusals, request.head.method == .post, route == .actions || route == .sharedActions,
            response.problemCode != Problem.Code.outcomeUnknown.rawValue
        else { return }
        let problem = try? JSONValue(parsing: response.body)
        let body = try? request.json()
        let index = problem?["index"]?.asInteger
        let action = body?.asArray.map { $0.indices.contains(index ?? 0) ? $0[index ?? 0] : .null } ?? body
        var line: [LogField] = []
        func add(_ name: StaticString, _ text: String?) {
            if let text { line.append(LogField(name, text.shortened(to: 256))) }
        }
        add("session", sessionMark(request.head, connection))
        add("type", action?["type"]?.asString)
        if let index { line.append(LogField("index", index)) }
        add("code", response.problemCode)
        add("reason", problem?["reason"]?.asString)
        add("requestId", connection.requestID)
        write(refusal: line)
    }
}
