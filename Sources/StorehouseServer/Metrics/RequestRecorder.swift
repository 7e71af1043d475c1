import HTTP
import HTTPServer
import Observability
import Sockets
import StoreHosting
import Stores

/// A request that has its response, or never gets one: what the metrics and the access log show of it.
struct FinishedRequest {
    /// Nil if the bytes were no request.
    let method: HTTPMethod?
    /// Nil if no resource has the path.
    let route: Route?
    /// The status of the response; nil if the connection ended before.
    let status: HTTPStatus?
    /// The code of the problem document, if the response is one.
    var code: Problem.Code?
    /// The length of the body that is sent.
    var bytes: Int?
    /// The revision that the response shows.
    var revision: Int?
    /// Whether the connection ended before the client had the whole response.
    var isCut: Bool
    /// From the moment at which the request was complete to the response, or to the end of a stream.
    let nanoseconds: Int

    init(method: HTTPMethod?, route: Route?, status: HTTPStatus?, since start: LoopInstant) {
        self.method = method
        self.route = route
        self.status = status
        isCut = status == nil
        nanoseconds = start.nanoseconds(to: .current)
    }

    init(_ response: Response, method: HTTPMethod?, route: Route?, since start: LoopInstant) {
        self.init(method: method, route: route, status: response.status, since: start)
        if let problem = response.problemCode { code = Problem.Code(rawValue: problem) }
        let isHead = if case .head = method { true } else { false }
        bytes = isHead || response.status.isAlwaysBodiless ? 0 : response.body.count
        revision = response.revision?.revision
    }
}

/// Counts the finished requests, and writes the access log: a line for each of them, or for those that failed.
final class RequestRecorder: Sendable {
    private let metrics: ServerMetrics
    private let log: Log
    private let logged: Configuration.Logging.Access
    private let basePath: BasePath
    private let proxies: TrustedProxies

    init(
        _ metrics: ServerMetrics, _ log: Log, _ logged: Configuration.Logging.Access, below basePath: BasePath,
        behind proxies: TrustedProxies
    ) {
        self.metrics = metrics
        self.log = log
        self.logged = logged
        self.basePath = basePath
        self.proxies = proxies
    }

    /// Counts and logs a request.
    func record(_ request: FinishedRequest, of head: RequestHead, on connection: HTTPConnection) {
        metrics.count(request)
        writeLine(request, of: head, on: connection)
    }

    /// Counts and logs bytes that were no request.
    func record(_ request: FinishedRequest, of failure: RequestFailure, on connection: HTTPConnection) {
        metrics.count(request)
        if isLogged(request) { write(request, failure.fields, of: nil, connection) }
    }

    /// Logs a request that is counted already.
    func writeLine(_ request: FinishedRequest, of head: RequestHead, on connection: HTTPConnection) {
        if isLogged(request) { write(request, head.fields, of: session(head, connection), connection) }
    }

    private func isLogged(_ request: FinishedRequest) -> Bool {
        switch logged {
        case .off: false
        case .errors: request.hasFailed
        case .all: true
        }
    }

    /// The session that the request is about, or else the one that its path names.
    private func session(_ head: RequestHead, _ connection: HTTPConnection) -> LoggedSession? {
        if let session = connection.subject as? Session {
            return LoggedSession(id: session.id, kind: session.kind.name)
        }
        guard let resource = try? Resource(head.path, below: basePath), resource.route.hasSessionID else { return nil }
        return SessionID(resource.id.decoded).map { LoggedSession(id: $0, kind: nil) }
    }

    private func write(
        _ request: FinishedRequest, _ fields: HTTPFields?, of session: LoggedSession?, _ connection: HTTPConnection
    ) {
        let client = fields.map { proxies.client(behind: connection.peer, $0) } ?? connection.peer
        let forwarded = (fields?.values("forwarded") ?? []) + (fields?.values("x-forwarded-for") ?? [])
        var line = [LogField("requestId", connection.requestID)]
        func add(_ name: StaticString, _ text: String?) {
            if let text { line.append(LogField(name, text.shortened(to: Self.maxTextBytes))) }
        }
        func add(_ name: StaticString, _ number: Int?) {
            if let number { line.append(LogField(name, number)) }
        }
        add("method", request.method?.description)
        add("route", request.route?.path ?? RequestDurations.otherRoute)
        add("status", request.status?.rawValue)
        add("code", request.code?.rawValue)
        add("bytes", request.bytes)
        line.append(LogField("duration", .nanoseconds(request.nanoseconds)))
        add("client", client.description)
        add("forwarded", forwarded.isEmpty ? nil : forwarded.joined(separator: ", "))
        add("userAgent", fields?.first("user-agent"))
        add("session", session?.id.fingerprint)
        add("kind", session?.kind)
        add("revision", request.revision)
        add("traceId", (fields?.trace?.id).map(String.init))
        log.write(request.hasFailed ? .warning : .info, request.isCut ? "request cut" : "request", line)
    }

    /// The limit of each text, most of which clients choose.
    private static let maxTextBytes = 256
}

/// A session as the access log names it.
private struct LoggedSession {
    let id: SessionID
    /// Nil if the session was not found.
    let kind: String?
}

extension FinishedRequest {
    /// Whether the server could not answer, or the client did not get the answer.
    fileprivate var hasFailed: Bool { isCut || (status?.rawValue ?? 0) >= 500 }
}
