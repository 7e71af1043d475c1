import HTTP
import Observability

/// Logs one request when its response is sent.
final class AccessLog: Sendable {
    private let log: Log
    private let method: String
    private let path: String
    private let client: String
    private let requestID: String

    /// - Parameter path: without session ids.
    init(_ log: Log, method: HTTPMethod, path: String, client: IPAddress, requestID: String) {
        self.log = log
        self.method = method.description
        self.path = path
        self.client = client.description
        self.requestID = requestID
    }

    func write(_ request: FinishedRequest) {
        log.debug(
            "request",
            [
                .init("method", method), .init("path", path), .init("client", client),
                .init("requestId", requestID),
                request.status.map { LogField("status", $0.rawValue) } ?? LogField("status", "cut"),
                .init("seconds", request.duration),
            ])
    }
}

extension API {
    /// The access log of a request; nil if its level is disabled, which costs nothing.
    func requestLog(_ head: RequestHead, requestID: String, peer: @autoclosure () -> IPAddress) -> AccessLog? {
        guard log.isEnabled(.debug) else { return nil }
        return AccessLog(
            log, method: head.method, path: head.path.masked, client: proxies.client(behind: peer(), head.fields),
            requestID: requestID)
    }
}

extension RequestPath {
    /// The path without anything that may be a session's id, because whoever knows an id may use its session.
    ///
    /// An id is shown by its fingerprint. Any other segment is shown only if it is much shorter than an id and has no
    /// percent-encoding left: also a path that is no resource may contain an id, such as `/Sessions/ID` or `/ID.json`.
    var masked: String {
        let segments = map { segment in
            if let id = SessionID(segment.decoded) { return id.fingerprint }
            let text = segment.string
            return text.utf8.count <= Self.maxShownBytes && !text.contains("%") ? text : "…"
        }
        return "/" + segments.joined(separator: "/")
    }

    /// The length of the longest segment of a resource, `openapi.json`.
    private static var maxShownBytes: Int { 12 }
}
