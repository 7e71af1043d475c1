import Stores

/// What became of one exchange with a service.
enum TransferOutcome {
    case answered(TransferAnswer)
    case failed(TransferFailure)
}

/// A whole answer.
struct TransferAnswer {
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
