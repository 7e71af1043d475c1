/// The response to a request with an idempotency key.
public struct IdempotencyRecord: Sendable, Equatable {
    /// The idempotency key that the client gave.
    public let key: String
    /// A hash of the request, which tells it from another with the same key.
    public let fingerprint: UInt64
    /// The serialized response, opaque to the journal.
    public let response: [UInt8]
    /// When the response was made, in milliseconds since 1970-01-01T00:00:00Z.
    public let at: Int

    /// The response to the request with that key and fingerprint.
    public init(key: String, fingerprint: UInt64, response: [UInt8], at: Int) {
        self.key = key
        self.fingerprint = fingerprint
        self.response = response
        self.at = at
    }
}
