/// What one exchange sends, and the bounds of what may come back.
struct TransferRequest {
    var method: String
    var address: WebAddress
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
