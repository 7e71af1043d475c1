public import JSON

/// The settings of a server, and of the remote services that the reference kinds call.
public struct StorehouseConfiguration: Sendable, Hashable {
    public var server = Configuration()
    public var animal = Animal()
    public var auth = Auth()

    /// The default of every setting.
    public init() {}

    /// The service that names animals.
    public struct Animal: Sendable, Hashable {
        public var endpoint = Endpoint()
        /// The place of the animal's name in the response.
        public var pointer = JSONPointer(tokens: ["animal"])
    }

    /// The service that checks credentials.
    public struct Auth: Sendable, Hashable {
        public var endpoint = Endpoint()
        public var usernameField = "username"
        public var passwordField = "password"
        /// The format of a request's body.
        public enum Body: String, Sendable, CaseIterable {
            /// A JSON object.
            case json
            /// The fields of an HTML form.
            case form
        }

        public var body = Body.json
        /// Further fields of each body, such as `grant_type` or the id and secret of a client.
        public var fields: [String: Secret] = [:]
        /// The statuses that mean that the credentials are wrong.
        public var noStatuses = [401, 403]
        /// The member that a successful response must contain with a value other than `null`, `false` and an empty text; nil if
        /// the status is enough.
        public var pointer: JSONPointer?
    }

    /// How to call one remote service.
    public struct Endpoint: Sendable, Hashable {
        /// http or https, with a host and without user info; nil for the embedded service.
        public var url: String?
        /// Sent with each call. Names differ in more than case.
        public var headers: [String: Secret] = [:]
        /// The deadline of a whole call with its retries.
        public var timeout = Duration.seconds(5)
        public var retries = 2
        public var maxConcurrent = 256
        /// The number of calls that may wait beyond `maxConcurrent`; nil for four times `maxConcurrent`.
        public var maxWaiting: Int?
        public var maxBodyBytes = 65536
        public var maxHeaderBytes = 65536
        public var lowSpeed = LowSpeed()
        /// A file of certificates that replaces those of the system.
        public var caFile: String?
        /// A file with the client's certificate.
        public var clientCertificate: String?
        /// A file with the key of the client's certificate; nil if that file contains it.
        public var clientKey: String?
        public var clientKeyPassword: Secret?
        /// Refuses addresses that are not on the public Internet. The embedded service can always be called.
        public var denyPrivate = false
        public var breaker = Breaker()
    }

    /// When to give up a response that has begun.
    public struct LowSpeed: Sendable, Hashable {
        /// The lowest speed in bytes per second; 0 for no limit.
        public var bytes = 16
        /// How long the response may be slower.
        public var time = Duration.seconds(10)
    }

    /// When to stop calling a service that fails.
    public struct Breaker: Sendable, Hashable {
        /// The number of failures in a row that opens the circuit.
        public var failures = 10
        /// How long the circuit stays open before one call is let through.
        public var cooldown = Duration.seconds(5)
    }
}

extension StorehouseConfiguration: ConfigurationRoot {
    package var conflicts: [ConfigurationProblem] {
        guard !server.upstreams.embedded else { return [] }
        let urls = ["upstreams.animal.url": animal.endpoint.url, "upstreams.auth.url": auth.endpoint.url]
        return Self.keys.filter { urls[$0.path] == .some(nil) }.map { key in
            ConfigurationProblem(
                path: key.path,
                detail:
                    "is missing, and upstreams.embedded is false: set it (\(key.variable)), or upstreams.embedded to true"
            )
        }
    }

    /// True if a service has no URL, and the embedded server answers for it.
    var needsDemoUpstream: Bool {
        server.upstreams.embedded && (animal.endpoint.url == nil || auth.endpoint.url == nil)
    }
}
