import HTTP
import Observability

/// The line that the log has of one request, once it is answered.
final class AccessLog: Sendable {
    private let log: Log
    private let method: String
    private let path: String
    private let began = ContinuousClock.now

    /// - Parameter path: with the session's id shortened, which is the right to use it.
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
                .init("seconds", ContinuousClock.now - began),
            ])
    }
}

extension API {
    /// Nil where nobody reads it, so that it costs nothing.
    func requestLog(_ head: RequestHead) -> AccessLog? {
        guard log.isEnabled(.debug) else { return nil }
        // Also where no session is looked for, as under /Sessions: the id is the right to use the session.
        let segments = head.path.map(\.string)
        let shown = segments.enumerated().map { place, segment in
            let isID = (place == 1 && segments[0] == "sessions") || SessionID(segment.utf8) != nil
            return isID ? String(segment.prefix(6)) : segment
        }
        return AccessLog(log, method: head.method, path: "/" + shown.joined(separator: "/"))
    }
}
