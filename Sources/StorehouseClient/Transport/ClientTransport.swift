/// Carries the requests of a client to a server.
public protocol ClientTransport: Sendable {
    /// Sends a request and waits for the whole response. The task's cancellation closes the connection.
    nonisolated(nonsending) func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse

    /// Sends a request whose response is read while it arrives.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - hear: gets the head, then the parts, then the end, unless the stream was closed before.
    func open(_ request: ClientRequest, hear: @escaping @MainActor @Sendable (StreamPart) -> Void) -> any OpenStream
}

/// A response that is read while it arrives.
public protocol OpenStream: Sendable {
    /// Ends the response; nothing is heard of it afterwards by a caller on the main actor.
    func close()
}

/// A request of a client.
public struct ClientRequest: Sendable, Hashable {
    /// Such as `POST`.
    public var method: String
    /// The whole address, with the query.
    public var url: String
    /// Names and values, each in the form in which they are sent.
    public var headers: [String: String]
    /// Nil if the request has no body.
    public var body: [UInt8]?

    /// A request.
    ///
    /// - Parameters:
    ///   - method: such as `POST`.
    ///   - url: the whole address, with the query.
    ///   - headers: names and values, each in the form in which they are sent.
    ///   - body: nil if the request has no body.
    public init(_ method: String, _ url: String, headers: [String: String] = [:], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// The whole response to a request.
public struct ClientResponse: Sendable, Hashable {
    /// Such as 200.
    public var status: Int
    /// By names in lowercase.
    public var headers: [String: String]
    /// All bytes, as the server has sent them.
    public var body: [UInt8]

    /// A response.
    ///
    /// - Parameters:
    ///   - status: such as 200.
    ///   - headers: by names in lowercase.
    ///   - body: all bytes.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// A part of a stream.
public enum StreamPart: Sendable, Hashable {
    /// The status, and the header fields by names in lowercase.
    case head(status: Int, headers: [String: String])
    /// The bytes of one read.
    case bytes([UInt8])
    /// Nil if the server has ended the response.
    case end(TransportFailure?)
}

/// No response came, or it broke off.
public struct TransportFailure: Error, Hashable, CustomStringConvertible {
    /// A sentence without its end, for a person.
    public var description: String

    /// A failure.
    ///
    /// - Parameter description: a sentence without its end, for a person.
    public init(_ description: String) {
        self.description = description
    }
}
