import CCurl
import Stores

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
