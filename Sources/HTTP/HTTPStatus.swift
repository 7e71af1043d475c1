/// The status codes of the server's responses (RFC 9110, section 15; 429 and 431: RFC 6585).
@usableFromInline
package enum HTTPStatus: Int, Sendable, Hashable {
    case `continue` = 100
    case ok = 200
    case created = 201
    case accepted = 202
    case noContent = 204
    case seeOther = 303
    case notModified = 304
    case temporaryRedirect = 307
    case permanentRedirect = 308
    case badRequest = 400
    case unauthorized = 401
    case paymentRequired = 402
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case notAcceptable = 406
    case requestTimeout = 408
    case conflict = 409
    case gone = 410
    case preconditionFailed = 412
    case contentTooLarge = 413
    case uriTooLong = 414
    case unsupportedMediaType = 415
    case expectationFailed = 417
    case misdirectedRequest = 421
    case unprocessableContent = 422
    case tooManyRequests = 429
    case requestHeaderFieldsTooLarge = 431
    case internalServerError = 500
    case notImplemented = 501
    case badGateway = 502
    case serviceUnavailable = 503
    case gatewayTimeout = 504
    case httpVersionNotSupported = 505

    /// Whether responses with this status never have a body (RFC 9112, section 6.3, point 1).
    package var isAlwaysBodiless: Bool {
        rawValue < 200 || self == .noContent || self == .notModified
    }
}

extension HTTPStatus {
    /// The registered reason phrase, which also serves as the title of a problem document.
    package var reason: String {
        rawValue < 400 ? successReason : (rawValue < 500 ? clientErrorReason : serverErrorReason)
    }

    private var successReason: String {
        switch self {
        case .continue: "Continue"
        case .created: "Created"
        case .accepted: "Accepted"
        case .noContent: "No Content"
        case .seeOther: "See Other"
        case .notModified: "Not Modified"
        case .temporaryRedirect: "Temporary Redirect"
        case .permanentRedirect: "Permanent Redirect"
        default: "OK"
        }
    }

    private var clientErrorReason: String {
        switch self {
        case .unauthorized: "Unauthorized"
        case .paymentRequired: "Payment Required"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .notAcceptable: "Not Acceptable"
        case .requestTimeout: "Request Timeout"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .preconditionFailed: "Precondition Failed"
        case .contentTooLarge: "Content Too Large"
        case .uriTooLong: "URI Too Long"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .expectationFailed: "Expectation Failed"
        case .misdirectedRequest: "Misdirected Request"
        case .unprocessableContent: "Unprocessable Content"
        case .tooManyRequests: "Too Many Requests"
        case .requestHeaderFieldsTooLarge: "Request Header Fields Too Large"
        default: "Bad Request"
        }
    }

    private var serverErrorReason: String {
        switch self {
        case .notImplemented: "Not Implemented"
        case .badGateway: "Bad Gateway"
        case .serviceUnavailable: "Service Unavailable"
        case .gatewayTimeout: "Gateway Timeout"
        case .httpVersionNotSupported: "HTTP Version Not Supported"
        default: "Internal Server Error"
        }
    }
}
