/// Why a request is refused: a status, a stable code and a sentence for whoever sent it.
package struct RequestFailure: Error, Sendable, Hashable {
    /// What is wrong, by the answer it gets.
    package enum Reason: Sendable, Hashable {
        /// The bytes are not HTTP, or can be read in two ways: 400.
        case malformedRequest
        /// The head or the body does not come in time: 408.
        case requestTimeout
        /// The body is over its limit: 413.
        case bodyTooLarge
        /// The request target is over its limit: 414.
        case uriTooLong
        /// An `Expect` other than `100-continue`: 417.
        case expectationFailed
        /// The header section or the trailer section is over its limit: 431.
        case headersTooLarge
        /// A transfer coding or a method that nobody here knows: 501.
        case notImplemented
        /// A major version other than 1: 505.
        case versionNotSupported
    }

    package let reason: Reason
    /// A sentence that says what is wrong. It never repeats bytes of the request.
    package let detail: String
    /// The method, where the request got that far. An answer to HEAD has no body.
    package internal(set) var method: HTTPMethod?
    /// The value of the Origin field, where the request got that far: its page may read the answer if it may read any.
    package internal(set) var origin: String?
    /// How many of the bytes given to the parser this request has, where that is sure and the client keeps the
    /// connection: the next request begins there. In all other cases nil: the connection must be closed.
    package internal(set) var consumed: Int?

    init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// The status of the answer.
    package var status: HTTPStatus {
        switch reason {
        case .malformedRequest: .badRequest
        case .requestTimeout: .requestTimeout
        case .bodyTooLarge: .contentTooLarge
        case .uriTooLong: .uriTooLong
        case .expectationFailed: .expectationFailed
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .notImplemented: .notImplemented
        case .versionNotSupported: .httpVersionNotSupported
        }
    }

    /// The stable word for the problem document.
    package var code: String {
        switch reason {
        case .malformedRequest: "malformed-request"
        case .requestTimeout: "request-timeout"
        case .bodyTooLarge: "body-too-large"
        case .uriTooLong: "uri-too-long"
        case .expectationFailed: "expectation-failed"
        case .headersTooLarge: "headers-too-large"
        case .notImplemented: "not-implemented"
        case .versionNotSupported: "http-version-not-supported"
        }
    }

    /// A request whose head, or whose body behind this head, does not come in time.
    package static func tooSlow(_ head: RequestHead?) -> RequestFailure {
        let failure = RequestFailure(
            .requestTimeout, "The request did not arrive in time; send it again, at once and whole.")
        return head.map(failure.of) ?? failure
    }

    /// The failure as one of the body behind a head.
    package func of(_ head: RequestHead) -> RequestFailure {
        var failure = self
        failure.method = head.method
        failure.origin = head.fields.first("origin")
        return failure
    }

    static func malformed(_ detail: String) -> RequestFailure { RequestFailure(.malformedRequest, detail) }
}
