/// Why a request is rejected: a status, a stable code and a sentence for the client.
package struct RequestFailure: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// The bytes are not HTTP, or are ambiguous: 400.
        case malformedRequest
        /// The head or the body does not arrive in time: 408.
        case requestTimeout
        /// The body exceeds the limit: 413.
        case bodyTooLarge
        /// The request target exceeds the limit: 414.
        case uriTooLong
        /// An expectation other than `100-continue`: 417.
        case expectationFailed
        /// The header section or the trailer section exceeds the limit: 431.
        case headersTooLarge
        /// An unsupported transfer coding or method: 501.
        case notImplemented
        /// The server has no memory for requests that have not arrived completely: 503.
        case overloaded
        /// A major version other than 1: 505.
        case versionNotSupported
    }

    package let reason: Reason
    /// A sentence for the client. It never quotes the request.
    package let detail: String
    /// The method, if it was parsed. A response to HEAD has no body.
    package internal(set) var method: HTTPMethod?
    /// The fields that were parsed; nil if there are none.
    package internal(set) var fields: HTTPFields?
    /// The length of the request, if it is known and the client keeps the connection open: the next request starts
    /// behind it. If nil, the connection must be closed.
    package internal(set) var consumed: Int?

    package init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    package var status: HTTPStatus {
        switch reason {
        case .malformedRequest: .badRequest
        case .requestTimeout: .requestTimeout
        case .bodyTooLarge: .contentTooLarge
        case .uriTooLong: .uriTooLong
        case .expectationFailed: .expectationFailed
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .notImplemented: .notImplemented
        case .overloaded: .serviceUnavailable
        case .versionNotSupported: .httpVersionNotSupported
        }
    }

    /// The stable code for the problem document.
    package var code: String {
        switch reason {
        case .malformedRequest: "malformed-request"
        case .requestTimeout: "request-timeout"
        case .bodyTooLarge: "body-too-large"
        case .uriTooLong: "uri-too-long"
        case .expectationFailed: "expectation-failed"
        case .headersTooLarge: "headers-too-large"
        case .notImplemented: "not-implemented"
        case .overloaded: "overloaded"
        case .versionNotSupported: "http-version-not-supported"
        }
    }

    /// The failure of a request whose head does not arrive in time, or whose body behind `head` does not.
    package static func tooSlow(_ head: RequestHead?) -> RequestFailure {
        let failure = RequestFailure(
            .requestTimeout, "The request did not arrive in time; send it again without delay.")
        return head.map(failure.of) ?? failure
    }

    /// The failure of a request that has not arrived completely, or whose body behind `head` has not, while there is no memory for it.
    package static func overloaded(_ head: RequestHead?) -> RequestFailure {
        let failure = RequestFailure(
            .overloaded,
            "The server has no memory for requests that have not arrived completely; nothing was done. Send it again, at once as "
                + "a whole.")
        return head.map(failure.of) ?? failure
    }

    /// This failure with the method and the fields of the request's head.
    package func of(_ head: RequestHead) -> RequestFailure {
        var failure = self
        failure.method = head.method
        failure.fields = head.fields
        return failure
    }

    static func malformed(_ detail: String) -> RequestFailure { RequestFailure(.malformedRequest, detail) }
}
