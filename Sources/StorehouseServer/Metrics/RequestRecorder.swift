import HTTP
import HTTPServer
import Observability
import Platform
import Security
import Sessions
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

    init(method: HTTPMethod?, route: Route?, status: HTTPStatus?, since start: MonotonicInstant) {
        self.method = method
        self.route = route
        self.status = status
        isCut = status == nil
        nanoseconds = start.nanoseconds(to: .current)
    }

    init(_ response: Response, method: HTTPMethod?, route: Route?, since start: MonotonicInstant) {
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
    private let logged: Configuration.Logging.Requests
    private let actors: Configuration.Logging.Actors
    private let basePath: BasePath
    private let proxies: TrustedProxies

    init(
        _ metrics: ServerMetrics, _ log: Log, _ logging: Configuration.Logging, below basePath: BasePath,
        behind proxies: TrustedProxies
    ) {
        self.metrics = metrics
        self.log = log
        logged = logging.access
        actors = logging.actors
        self.basePath = basePath
        self.proxies = proxies
    }

    var isLoggingRefusals: Bool { log.isEnabled(.debug) }

    func write(refusal line: [LogField]) { log.debug("action refused", line) }

    /// Counts and logs a request.
    func record(_ request: FinishedRequest, of head: RequestHead, on connection: any RequestSource) {
        metrics.count(request)
        writeLine(request, of: head, on: connection)
    }

    /// Counts and logs bytes that were no request.
    func record(_ request: FinishedRequest, of failure: RequestFailure, on connection: any RequestSource) {
        metrics.count(request)
        if isLogged(request) {
            write(request, LoggedClient(failure.fields, connection, behind: proxies), of: nil, connection)
        }
    }

    /// Logs a request that is counted already.
    func writeLine(_ request: FinishedRequest, of head: RequestHead, on connection: any RequestSource) {
        guard isLogged(request) else { return }
        let client = LoggedClient(head.fields, connection, behind: proxies)
        write(request, client, of: session(head, connection), connection)
    }

    /// The client of a stream that begins, as the log shows it; nil if there is no access log.
    func client(of head: RequestHead, on connection: any RequestSource) -> LoggedClient? {
        logged == .off ? nil : LoggedClient(head.fields, connection, behind: proxies)
    }

    /// Logs a stream that has ended, and that was counted when it began.
    func writeLine(
        _ request: FinishedRequest, of client: LoggedClient, watching session: Session, on connection: any RequestSource
    ) {
        if isLogged(request) { write(request, client, of: LoggedSession(session), connection) }
    }

    private func isLogged(_ request: FinishedRequest) -> Bool {
        switch logged {
        case .off: false
        case .errors: request.hasFailed
        case .all: true
        }
    }

    /// The session that the request is about, or else the one that its path names.
    private func session(_ head: RequestHead, _ connection: any RequestSource) -> LoggedSession? {
        if let session = connection.subject as? Session { return LoggedSession(session) }
        guard let resource = try? Resource(head.path, below: basePath), resource.route.hasSessionID else { return nil }
        return SessionID(resource.id.decoded).map { LoggedSession(id: $0, kind: nil) }
    }

    /// The mark of that session.
    func sessionMark(_ head: RequestHead, _ connection: any RequestSource) -> String? {
        session(head, connection)?.id.fingerprint
    }

    private func write(
        _ request: FinishedRequest, _ client: LoggedClient, of session: LoggedSession?, _ connection: any RequestSource
    ) {
        var line = [LogField("requestId", connection.requestID)]
        func add(_ name: StaticString, _ text: String?) {
            if let text { line.append(LogField(name, text)) }
        }
        func add(_ name: StaticString, _ number: Int?) {
            if let number { line.append(LogField(name, number)) }
        }
        add("method", request.method?.description.shortened(to: LoggedClient.maxTextBytes))
        add("route", request.route?.path ?? RequestDurations.otherRoute)
        add("status", request.status?.rawValue)
        add("code", request.code?.rawValue)
        add("bytes", request.bytes)
        line.append(LogField("duration", .nanoseconds(request.nanoseconds)))
        let address = client.origin?.address ?? connection.peer
        add("client", address == .unixSocket ? "unix" : address.description)
        add("forwarded", client.origin?.chain)
        add("userAgent", client.userAgent)
        add("actor", client.actor.flatMap(name))
        add("session", session?.id.fingerprint)
        add("kind", session?.kind)
        add("revision", request.revision)
        add("traceId", client.origin?.traceID)
        log.write(request.hasFailed ? .warning : .info, request.isCut ? "request cut" : "request", line)
    }

    /// The name of an actor in the log; nil if the log names no actors.
    private func name(_ actor: Actor) -> String? {
        switch actors {
        case .mark: Fingerprint.of(actor.id.text)
        case .plain: actor.id.text
        case .off: nil
        }
    }
}

/// A client as the access log names it.
struct LoggedClient: Sendable {
    /// The limit of each text, because clients choose them.
    fileprivate static let maxTextBytes = 256

    fileprivate let userAgent: String?
    /// Nil for an anonymous one.
    fileprivate let actor: Actor?
    /// Nil for a client that is the other end of the connection and has sent no trace, as most are without a proxy.
    fileprivate let origin: Proxied?

    /// The properties of a client that proxies state.
    fileprivate final class Proxied: Sendable {
        let address: IPAddress
        /// The addresses that proxies state.
        let chain: String?
        let traceID: String?

        init(_ address: IPAddress, chain: String?, traceID: String?) {
            self.address = address
            self.chain = chain
            self.traceID = traceID
        }
    }

    /// - Parameters:
    ///   - fields: those of its request; nil if it could not be read.
    ///   - connection: the one by which the request came.
    fileprivate init(_ fields: HTTPFields?, _ connection: any RequestSource, behind proxies: TrustedProxies) {
        let peer = connection.peer
        let credentials = connection.credentials
        actor =
            (credentials as? TokenClaims)?.actor ?? (credentials as? PermitTerms)?.holder
            ?? (credentials as? LoggedGuest)?.actor
        userAgent = fields?.first("user-agent")?.shortened(to: Self.maxTextBytes)
        let address = fields.map { proxies.client(behind: peer, $0) } ?? peer
        let values = (fields?.values("forwarded") ?? []) + (fields?.values("x-forwarded-for") ?? [])
        let chain = values.isEmpty ? nil : values.joined(separator: ", ").shortened(to: Self.maxTextBytes)
        let traceID = (fields?.trace?.id).map(String.init)
        let isPlain = address == peer && chain == nil && traceID == nil
        origin = isPlain ? nil : Proxied(address, chain: chain, traceID: traceID)
    }
}

/// A session as the access log names it.
private struct LoggedSession {
    let id: SessionID
    /// Nil if the session was not found.
    let kind: String?

    init(id: SessionID, kind: String?) {
        self.id = id
        self.kind = kind
    }

    init(_ session: Session) { self.init(id: session.id, kind: session.kindName) }
}

extension FinishedRequest {
    /// Whether the server could not answer, or the client did not get the answer.
    ///
    /// The refusal of a stream has the status 200 for some clients, and fails all the same.
    fileprivate var hasFailed: Bool {
        isCut || (status?.rawValue ?? 0) >= 500 || (code?.status.rawValue ?? 0) >= 500
    }
}
