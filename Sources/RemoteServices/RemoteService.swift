/// A remote service that the stores of a kind call, by its name in the configuration: `upstreams.NAME`.
public struct RemoteService: Sendable {
    /// Answers a request in the place of the service, for a server that is tried out without it.
    public typealias Demo = @Sendable (RemoteRequest) -> RemoteResponse

    /// The name: a letter, then letters and digits.
    public let name: String
    /// The service that a server runs itself if the configuration has no URL; nil if the URL is required.
    public let demo: Demo?

    /// A service with this name.
    ///
    /// - Parameters:
    ///   - name: a letter, then letters and digits.
    ///   - demo: answers if the configuration has no URL.
    public init(_ name: String, demo: Demo? = nil) {
        self.name = name
        self.demo = demo
    }
}

extension RemoteService: ExpressibleByStringLiteral {
    /// A service with this name and without a demo.
    public init(stringLiteral name: String) { self.init(name) }
}

/// The clients of the remote services of a server, by name.
public struct RemoteClients: Sendable {
    private let clients: [String: any RemoteClient]

    /// The clients of these services.
    public init(_ clients: [String: any RemoteClient]) { self.clients = clients }

    /// No client: every call fails as `unreachable`.
    public static let none = RemoteClients([:])

    /// The client of a service. Its calls fail as `unreachable` if there is none with that name.
    public subscript(name: String) -> any RemoteClient { clients[name] ?? MissingClient(name: name) }
}

private struct MissingClient: RemoteClient {
    let name: String

    func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse {
        throw RemoteFailure(.unreachable, "there is no client of the service '\(name)'")
    }
}
