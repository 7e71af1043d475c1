import CCurl
import RemoteServices
import Stores

/// What became of one exchange with a service.
enum TransferOutcome {
    case answered(TransferResponse)
    case failed(TransferFailure)
}

/// A whole answer.
struct TransferResponse {
    var status: Int
    var contentType: String?
    /// Lines of the last header section.
    var headers: [UInt8]
    var body: [UInt8]
    /// Where the answer points to, made absolute.
    var location: String?
    /// How long the service wants to be left alone.
    var retryAfter: Duration?
}

/// Why there was no whole answer.
struct TransferFailure {
    var code: RemoteFailure.Code
    var breakage: RetryRule.Breakage
    /// Half a sentence that names no address.
    var reason: String
    /// libcurl's own code, for the log.
    var library: Int?
    /// Whether the time for the call is over.
    var isLate = false
}

/// What one exchange sends, and the bounds of what may come back.
struct TransferRequest {
    var method: String
    var address: HTTPURL
    /// Whole header lines.
    var fields: [String]
    var body: [UInt8]
    /// What is left of the call's time.
    var timeout: Duration
    /// Whether a connection that was used before may be used.
    var reusesConnection: Bool
    /// Whether it goes to the service itself, and not to where that has led: only then may it say who calls.
    var isTrusted: Bool
    var settings: UpstreamSettings
    var userAgent: String

    /// Whether the message has a body, be it empty (RFC 9110, 8.6).
    var sendsBody: Bool { !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) }
}

extension TransferFailure {
    /// What libcurl's verdict means, in one table.
    init(_ code: CURLcode) {
        let reason = String(cString: ccurl_easy_strerror(code))
        switch code {
        case CURLE_COULDNT_CONNECT:
            self.init(code: .unreachable, breakage: .refused, reason: reason)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_SSL_CONNECT_ERROR:
            self.init(code: .unreachable, breakage: .unconnected, reason: reason)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            self.init(code: .unreachable, breakage: .broken, reason: reason)
        case CURLE_OPERATION_TIMEDOUT:
            self.init(code: .timeout, breakage: .lasting, reason: reason, isLate: true)
        // What is no HTTP is an unsupported protocol to libcurl: HTTP/0.9.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self.init(code: .badBody, breakage: .lasting, reason: "it does not speak HTTP as it should")
        // A header line beyond libcurl's own bound counts as out of memory.
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY:
            self = .tooLarge
        default:
            self.init(code: .unreachable, breakage: .lasting, reason: reason)
        }
        library = Int(code.rawValue)
    }

    static let tooSlow = TransferFailure(
        code: .timeout, breakage: .lasting, reason: "the answer comes too slowly")

    static let tooLarge = TransferFailure(
        code: .tooLarge, breakage: .lasting, reason: "the answer is larger than the limit")

    static let repeated = TransferFailure(
        code: .unreachable, breakage: .broken, reason: "the connection broke before the answer")

    static let denied = TransferFailure(
        code: .unreachable, breakage: .lasting, reason: "its address is not public")

    static let noLibrary = TransferFailure(
        code: .unreachable, breakage: .lasting, reason: "libcurl is not installed (Debian: libcurl4)")

    static let notStarted = TransferFailure(
        code: .unreachable, breakage: .lasting, reason: "the request cannot be sent")
}
