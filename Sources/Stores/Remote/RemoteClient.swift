/// Calls one remote service: the port through which middleware reaches the network.
///
/// An adapter knows the address, the headers, the deadline and the retries; a test passes an answer of its own.
/// Cancelling the calling task ends the call at once.
public protocol RemoteClient: Sendable {
    /// Sends `request` and returns the answer, whatever its status.
    ///
    /// - Throws: `RemoteFailure` where no whole answer came within the deadline.
    func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteAnswer
}

/// What to send to a remote service; its address is the adapter's.
public struct RemoteRequest: Sendable, Equatable {
    /// `GET`, `POST` and so on.
    public var method: String
    /// What to send; empty for none.
    public var body: [UInt8]
    /// The media type of `body`, or nil where there is none.
    public var contentType: String?

    /// A request without a body, unless one is given.
    public init(method: String = "GET", body: [UInt8] = [], contentType: String? = nil) {
        self.method = method
        self.body = body
        self.contentType = contentType
    }
}

/// What a remote service answered, whole and within the size limit.
public struct RemoteAnswer: Sendable, Equatable {
    /// The status code (RFC 9110, 15).
    public var status: Int
    /// The media type of `body`, where the service named one.
    public var contentType: String?
    /// The bytes, without transfer or content coding.
    public var body: [UInt8]

    /// An answer, as an adapter or a test makes it.
    public init(status: Int, contentType: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Whether the status says that the request was done (RFC 9110, 15.3).
    public var isSuccess: Bool { (200...299).contains(status) }
}
