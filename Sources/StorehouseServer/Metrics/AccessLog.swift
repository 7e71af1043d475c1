import HTTP
import Observability

/// Logs one request when its response is sent.
final class AccessLog: Sendable {
    private let log: Log
    private let method: String
    private let path: String
    private let start = ContinuousClock.now

    /// - Parameter path: with shortened session ids, because whoever knows an id may use its session.
    init(_ log: Log, method: HTTPMethod, path: String) {
        self.log = log
        self.method = method.description
        self.path = path
    }

    func write(_ status: HTTPStatus) {
        log.debug(
            "request",
            [
                .init("method", method), .init("path", path), .init("status", status.rawValue),
                .init("seconds", ContinuousClock.now - start),
            ])
    }
}

extension API {
    /// The access log of a request; nil if its level is disabled, which costs nothing.
    func requestLog(_ head: RequestHead) -> AccessLog? {
        guard log.isEnabled(.debug) else { return nil }
        // Ids are shortened in any path, also in one that is no resource, as /Sessions.
        let segments = head.path.map(\.string)
        let shown = segments.enumerated().map { index, segment in
            let isID = (index == 1 && segments[0] == "sessions") || SessionID(segment.utf8) != nil
            return isID ? String(segment.prefix(6)) : segment
        }
        return AccessLog(log, method: head.method, path: "/" + shown.joined(separator: "/"))
    }
}
