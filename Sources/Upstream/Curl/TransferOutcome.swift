import CCurl
import Curl
import RemoteServices
import Stores

/// The result of one transfer.
enum TransferOutcome {
    /// - redirect: the absolute URL of a `Location` field.
    /// - retryAfter: the delay that the service asks for.
    case answered(RemoteResponse, redirect: String?, retryAfter: Duration?)
    case failed(TransferFailure)
}

/// The reason why a transfer brought no complete response.
struct TransferFailure {
    var code: RemoteFailure.Code
    var stage: RetryRule.FailureStage
    /// Part of a sentence, without an address.
    var reason: String
    /// libcurl's own code, for the log.
    var library: Int?
    /// True if the call's time is over.
    var isTimeout = false
}

/// The request of one transfer, and the limits of its response.
struct TransferRequest {
    var method: String
    var address: HTTPURL
    /// Complete header lines.
    var fields: [String]
    var body: [UInt8]
    /// The rest of the call's time.
    var timeout: Duration
    /// Allows a connection that was used before.
    var reusesConnection: Bool
    /// True if no redirect has led to another origin. Only then the client's certificate is sent.
    var isSameOrigin: Bool
    var settings: UpstreamSettings
    var trust: TrustFiles.Material
    var userAgent: String

    /// True if the message has a body, even an empty one (RFC 9110, 8.6).
    var sendsBody: Bool { !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) }
}

extension TransferFailure {
    /// The meaning of libcurl's code.
    init(_ code: CURLcode) {
        let reason = String(cString: ccurl_easy_strerror(code))
        switch code {
        case CURLE_COULDNT_CONNECT:
            self.init(code: .unreachable, stage: .refused, reason: reason)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_SSL_CONNECT_ERROR:
            self.init(code: .unreachable, stage: .unconnected, reason: reason)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            self.init(code: .unreachable, stage: .broken, reason: reason)
        case CURLE_OPERATION_TIMEDOUT:
            self.init(code: .timeout, stage: .permanent, reason: reason, isTimeout: true)
        // libcurl takes a response that is not HTTP for HTTP/0.9, an unsupported protocol.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self.init(code: .badBody, stage: .permanent, reason: "its response is not valid HTTP")
        // libcurl reports a header line beyond its own limit as out of memory.
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY:
            self = .tooLarge
        default:
            self.init(code: .unreachable, stage: .permanent, reason: reason)
        }
        library = Int(code.rawValue)
    }

    static let tooSlow = TransferFailure(
        code: .timeout, stage: .permanent, reason: "the response is too slow")

    static let tooLarge = TransferFailure(
        code: .tooLarge, stage: .permanent, reason: "the response is larger than the limit")

    static let repeated = TransferFailure(
        code: .unreachable, stage: .broken, reason: "the connection broke before the response")

    static let denied = TransferFailure(
        code: .unreachable, stage: .permanent, reason: "its address is not public")

    /// libcurl cannot be loaded.
    init(_ problem: CurlLibrary.Problem) {
        switch problem {
        case .missing: self.init(code: .unreachable, stage: .permanent, reason: problem.reason)
        case .noDescriptors: self = .noDescriptors
        }
    }

    static let noDescriptors = TransferFailure(
        code: .unreachable, stage: .refused, reason: "the server has too many open files")

    static let notStarted = TransferFailure(
        code: .unreachable, stage: .permanent, reason: "the request cannot be sent")
}
