import HTTP
import JSON
import Sessions

/// A refusal of a stream that passes by itself, told as a stream that ends at once.
///
/// An EventSource gives up for ever at any status other than 200 (WHATWG HTML, section 9.2.2), so a page that reconnects in the
/// wrong second would stay dead. A client that accepts nothing but events is taken for one, unless it prefers statuses.
enum StreamRefusal {
    /// The response that the client of a stream gets in place of a refusal.
    ///
    /// - Returns: the refusal itself if it is lasting, or if the client understands statuses.
    static func response(for refusal: consuming Response, to head: RequestHead, at route: Route?) -> Response {
        guard let route, route.isStream, case .get = head.method, let code = refusal.code,
            let reason = code.closedReason, isForEventsOnly(head)
        else { return refusal }
        if prefersStatus(head) {
            refusal.fields.append(.init("Preference-Applied", preference))
            return refusal
        }
        let seconds = min(refusal["retry-after"].flatMap { Int($0) } ?? 1, maxSeconds)
        var response = Response(
            .ok, fields: StreamFormat.state.responseFields,
            body: StreamFormat.state.codec.closed(reason, retry: 1000 * seconds, at: 0))
        response.problemCode = code.rawValue
        return response
    }

    private static let preference = "status"
    /// Longer than any time that the server asks for, and short enough for the timers of browsers.
    private static let maxSeconds = 86_400

    private static func isForEventsOnly(_ head: RequestHead) -> Bool {
        guard let eventStream = StreamFormat.state.mediaType else { return false }
        return AcceptHeader(head.fields.values("accept")).isOnly(eventStream)
    }

    private static func prefersStatus(_ head: RequestHead) -> Bool {
        Preferences(head.fields.values("prefer"))[preference] == ""
    }
}

extension Problem.Code {
    /// The reason of the event `closed` that stands for a refusal which passes; nil for one that lasts.
    ///
    /// These are the problems with 429 and 503. The codes of one reason ask the same of a client.
    package var closedReason: String? {
        switch self {
        case .draining: "draining"
        case .storageUnavailable: "unavailable"
        case .overloaded, .tooManySessions: "overloaded"
        case .tooManyStreams, .tooManyViews: "too-many-streams"
        case .rateLimited: "rate-limited"
        default: nil
        }
    }
}

extension Response {
    fileprivate var code: Problem.Code? { problemCode.flatMap(Problem.Code.init) }

    /// The response of another node, with the code of the problem that it shows, if it shows one.
    func withCodeOfProblem() -> Response {
        guard status.rawValue >= 400, let code = (try? JSONValue(parsing: body))?["code"]?.asString else { return self }
        var response = self
        response.problemCode = code
        return response
    }
}
