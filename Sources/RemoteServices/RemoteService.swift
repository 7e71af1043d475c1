public import JSON

/// A remote service that the stores of a kind call, by its name in the configuration: `upstreams.NAME`.
public struct RemoteService: Sendable {
    /// Answers a request in the place of the service, for a server that is tried out without it.
    ///
    /// It must not block. The request has the method, the target behind the path of the service, the content type and the body.
    public typealias Demo = @Sendable (RemoteRequest) -> RemoteResponse

    /// The name: a lower-case letter, then letters and digits.
    public let name: String
    /// Its settings beside those that every service has.
    package let settings: [any RemoteService.SettingDeclaration]
    /// The service that a server runs itself if the configuration has no URL; nil if the URL is required.
    package let demo: Demo?
    /// The path of the demo service, without the first slash.
    package let demoPath: String

    /// A service with this name.
    ///
    /// - Parameters:
    ///   - name: a lower-case letter, then letters and digits.
    ///   - settings: further keys of its section of the configuration.
    ///   - demo: answers if the configuration has no URL. A GET is answered after a random delay of `upstreams.maxDelay` at
    ///     most.
    public init(_ name: String, settings: [any RemoteService.SettingDeclaration] = [], demo: Demo? = nil) {
        self.init(name, settings: settings, demoPath: name, demo: demo)
    }

    /// A service whose demo has another path than the name.
    package init(_ name: String, settings: [any RemoteService.SettingDeclaration] = [], demoPath: String, demo: Demo?) {
        self.name = name
        self.settings = settings
        self.demo = demo
        self.demoPath = demoPath
    }
}

extension RemoteService: ExpressibleByStringLiteral {
    /// A service with this name and without a demo.
    public init(stringLiteral name: String) { self.init(name) }
}

/// The clients of the remote services of a server, by name, and the configured settings of the services.
public struct RemoteClients: Sendable {
    private let clients: [String: any RemoteClient]
    private let settings: [String: [String: JSONValue]]

    /// The clients of these services.
    ///
    /// - Parameters:
    ///   - clients: the clients, by the names of the services.
    ///   - settings: the configured values of the services' own settings, by service and setting. A setting that is missing
    ///     has its default.
    public init(_ clients: [String: any RemoteClient], settings: [String: [String: JSONValue]] = [:]) {
        self.clients = clients
        self.settings = settings
    }

    /// No client: every call fails as `unreachable`.
    public static let none = RemoteClients([:])

    /// The client of a service. Its calls fail as `unreachable` if there is none with that name.
    public subscript(name: String) -> any RemoteClient { clients[name] ?? MissingClient(name: name) }

    /// The value of a setting of a service.
    public func value<Value>(of setting: RemoteService.Setting<Value>, for service: String) -> Value {
        setting.value(of: settings[service]?[setting.name])
    }
}

private struct MissingClient: RemoteClient {
    let name: String

    func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse {
        throw RemoteFailure(.unreachable, "there is no client of the service '\(name)'")
    }
}
