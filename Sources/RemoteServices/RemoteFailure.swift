public import JSON
public import Stores

/// The reason why a remote call failed.
///
///     switch failure {
///     case .declined(let answer): hall.reason = answer.json?["reason"]?.asString
///     case .timeout, .interrupted: hall.isUnclear = true
///     default: hall.error = failure.message
///     }
///
/// Each has a ``code`` for programs and a ``message`` for people too.
public enum RemoteFailure: EffectFailure, Sendable, Hashable {
    /// The service has refused the request: a status from 400 to 499.
    case declined(Answer)
    /// The service has failed: a status from 500 to 599.
    case serverError(Answer)
    /// Any other status that is no success.
    case otherStatus(Answer)
    /// A redirect that is not followed. Also a status that an older program has recorded without its number.
    case badStatus(String)
    /// A response with an unreadable body.
    case badBody(String)
    /// A response larger than the limit.
    case tooLarge(String)
    /// No complete response within the deadline. The service may have done what the request asks for.
    case timeout(String)
    /// No connection, or a connection that broke before the response was complete.
    case unreachable(String)
    /// The call was cancelled, or the process ended during the call. The service may have done what the request asks for.
    case interrupted(String)
    /// Not sent: the circuit breaker refuses calls, because the service has failed too often recently.
    case refusedByBreaker(String)
    /// Not sent: too many calls are in progress.
    case overloaded(String)

    /// The codes of all failures. They are part of the HTTP contract.
    public enum Code: String, Sendable, CaseIterable {
        /// No complete response within the deadline.
        case timeout
        /// No connection, or a connection that broke before the response was complete.
        case unreachable
        /// A response with an unexpected status.
        case badStatus = "bad-status"
        /// A response with an unreadable body.
        case badBody = "bad-body"
        /// A response larger than the limit.
        case tooLarge = "too-large"
        /// Not sent: the service has failed too often recently.
        case circuitOpen = "circuit-open"
        /// Not sent: too many calls are in progress.
        case overloaded
        /// The call was cancelled, or the process ended during the call.
        case interrupted
    }

    /// A failure with this code.
    ///
    /// - Parameters:
    ///   - code: for programs.
    ///   - message: for people. Statuses have one of their own.
    ///   - status: the status of the answer, if the code is `bad-status`; nil if it is not known.
    ///   - body: the body of that answer.
    public init(_ code: Code, _ message: String, status: Int? = nil, body: String = "") {
        switch code {
        case .timeout: self = .timeout(message)
        case .unreachable: self = .unreachable(message)
        case .badStatus: self = status.map { RemoteFailure(Answer(status: $0, body: body)) } ?? .badStatus(message)
        case .badBody: self = .badBody(message)
        case .tooLarge: self = .tooLarge(message)
        case .circuitOpen: self = .refusedByBreaker(message)
        case .overloaded: self = .overloaded(message)
        case .interrupted: self = .interrupted(message)
        }
    }

    /// The failure that an answer means whose status is no success.
    public init(_ answer: Answer) {
        switch answer.status {
        case 400...499: self = .declined(answer)
        case 500...599: self = .serverError(answer)
        default: self = .otherStatus(answer)
        }
    }

    /// The code for programs.
    public var code: Code {
        switch self {
        case .declined, .serverError, .otherStatus, .badStatus: .badStatus
        case .badBody: .badBody
        case .tooLarge: .tooLarge
        case .timeout: .timeout
        case .unreachable: .unreachable
        case .interrupted: .interrupted
        case .refusedByBreaker: .circuitOpen
        case .overloaded: .overloaded
        }
    }

    @usableFromInline package var effectCode: String { code.rawValue }

    /// The sentence for people. It may change.
    public var message: String {
        switch self {
        case .declined(let answer), .serverError(let answer), .otherStatus(let answer):
            "the answer has the status \(answer.status)"
        case .badStatus(let message), .badBody(let message), .tooLarge(let message), .timeout(let message),
            .unreachable(let message), .interrupted(let message), .refusedByBreaker(let message),
            .overloaded(let message):
            message
        }
    }

    /// The answer; nil if none arrived, or none that is complete.
    public var answer: Answer? {
        switch self {
        case .declined(let answer), .serverError(let answer), .otherStatus(let answer): answer
        default: nil
        }
    }

    /// Whether the service, or a gateway before it, has given no answer to the request itself, so that the same request may be sent again
    /// if the service can tell a repetition.
    package var isInTransit: Bool {
        switch self {
        case .timeout, .unreachable, .interrupted, .refusedByBreaker, .overloaded: true
        case .declined(let answer), .serverError(let answer), .otherStatus(let answer):
            [429, 502, 503, 504].contains(answer.status)
        case .badStatus, .badBody, .tooLarge: false
        }
    }

    /// Whether the request has not left this process.
    package var isBeforeSending: Bool {
        switch self {
        case .refusedByBreaker, .overloaded: true
        default: false
        }
    }
}

extension RemoteFailure {
    /// An answer whose status is no success.
    public struct Answer: Sendable, Hashable {
        /// The greatest length of a body in bytes of UTF-8. The rest is cut off.
        package static let maxBodyBytes = 65_536

        /// The status code (RFC 9110, 15).
        public let status: Int
        /// The body as text, at most 65 536 bytes of it. What is not UTF-8 is replaced by U+FFFD.
        public let body: String

        /// An answer.
        ///
        /// - Parameters:
        ///   - status: the status code.
        ///   - body: the body, which is cut off.
        public init(status: Int, body: String = "") {
            self.status = status
            self.body = body.prefix(bytes: Self.maxBodyBytes)
        }

        /// The body as JSON; nil if it is none, or if it was cut off.
        public var json: JSONValue? { try? JSONValue(parsing: Array(body.utf8)) }
    }
}

extension String {
    /// The scalars that are complete within so many bytes of UTF-8.
    fileprivate func prefix(bytes count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: count)
        while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
