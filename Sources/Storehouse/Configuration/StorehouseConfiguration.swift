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
    package static var optionalSections: [String] { Configuration.optionalSections }

    package var conflicts: [ConfigurationProblem] {
        guard !server.upstreams.embedded else { return server.conflicts }
        let urls = ["upstreams.animal.url": animal.endpoint.url, "upstreams.auth.url": auth.endpoint.url]
        return server.conflicts
            + Self.keys.filter { urls[$0.path] == .some(nil) }.map { key in
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

extension StorehouseConfiguration {
    /// Every key, in the order of the file: those of the server, with the remote services at the end of `upstreams`.
    package static let keys: [ConfigurationKey<StorehouseConfiguration>] = {
        var keys = Configuration.keys.map { ConfigurationKey($0, in: \StorehouseConfiguration.server) }
        let end = keys.lastIndex { $0.path.hasPrefix("upstreams.") }.map { $0 + 1 } ?? keys.endIndex
        keys.insert(contentsOf: animalKeys + authKeys, at: end)
        return keys
    }()

    private static let animalKeys: [ConfigurationKey<StorehouseConfiguration>] =
        endpointKeys("animal", \.animal.endpoint)
        + [
            ConfigurationKey(
                "upstreams.animal.pointer", \.animal.pointer, .pointer,
                "the place of the animal's name in the response (JSON Pointer)")
        ]

    private static let authKeys: [ConfigurationKey<StorehouseConfiguration>] =
        endpointKeys("auth", \.auth.endpoint)
        + [
            ConfigurationKey(
                "upstreams.auth.usernameField", \.auth.usernameField, .text("the name of a member", 1...256),
                "the member of the body with the user name"),
            ConfigurationKey(
                "upstreams.auth.passwordField", \.auth.passwordField, .text("the name of a member", 1...256),
                "the member of the body with the password"),
            ConfigurationKey(
                "upstreams.auth.noStatuses", \.auth.noStatuses,
                ValueFormat.integer(400...599).list("a list of statuses from 400 to 599"),
                "the statuses that mean that the credentials are wrong"),
            ConfigurationKey(
                "upstreams.auth.body", \.auth.body, .choice,
                "the format of the body: a JSON object, or a form as in OAuth 2"),
            ConfigurationKey(
                "upstreams.auth.fields", \.auth.fields, .fields,
                "further members of the body; values are secret (in the environment: `name: value`, separated by commas)"
            ),
            ConfigurationKey(
                "upstreams.auth.pointer", \.auth.pointer, ValueFormat.pointer.orNull(),
                "the member that a successful response must contain, such as `/access_token` (JSON Pointer); null if the status is enough"
            ),
        ]

    private static func endpointKeys(
        _ name: String, _ endpoint: any WritableKeyPath<StorehouseConfiguration, Endpoint> & Sendable
    ) -> [ConfigurationKey<StorehouseConfiguration>] {
        let path = "upstreams.\(name)."
        return [
            ConfigurationKey(
                path + "url", in: endpoint, \.url, ValueFormat.url(headers: path + "headers").orNull(),
                "the complete URL of the \(name) service; without one the embedded service answers"),
            ConfigurationKey(
                path + "headers", in: endpoint, \.headers, .headers,
                "sent with each call; values are secret (in the environment: `Name: value`, separated by commas)"),
            ConfigurationKey(
                path + "timeout", in: endpoint, \.timeout, .seconds(milliseconds: 1...3_600_000),
                "the deadline of a whole call with its retries"),
            ConfigurationKey(
                path + "retries", in: endpoint, \.retries, .integer(0...100),
                "the largest number of retries of a failed call"),
            ConfigurationKey(
                path + "maxConcurrent", in: endpoint, \.maxConcurrent, .integer(1...65536),
                "the largest number of calls under way"),
            ConfigurationKey(
                path + "maxWaiting", in: endpoint, \.maxWaiting, ValueFormat.integer(0...1_000_000).orNull(),
                "the largest number of calls that wait for their turn; null is four times `maxConcurrent`"),
            ConfigurationKey(
                path + "maxBodyBytes", in: endpoint, \.maxBodyBytes, .integer(1...1 << 30),
                "the largest body of a response"),
            ConfigurationKey(
                path + "maxHeaderBytes", in: endpoint, \.maxHeaderBytes, .integer(1024...1 << 20),
                "the largest header section of a response"),
            ConfigurationKey(
                path + "lowSpeed.bytes", in: endpoint, \.lowSpeed.bytes, .integer(0...1 << 30),
                "the lowest speed of a response in bytes per second; 0 is no limit"),
            ConfigurationKey(
                path + "lowSpeed.time", in: endpoint, \.lowSpeed.time, .seconds(milliseconds: 1...3_600_000),
                "how long a response may be slower than `lowSpeed.bytes` before it is given up"),
            ConfigurationKey(
                path + "caFile", in: endpoint, \.caFile, ValueFormat.text("a path", 1...4096).orNull(),
                "a file of trusted certificates (PEM); null is those of the system"),
            ConfigurationKey(
                path + "clientCertificate", in: endpoint, \.clientCertificate,
                ValueFormat.text("a path", 1...4096).orNull(), "a file with the client's certificate (PEM)"),
            ConfigurationKey(
                path + "clientKey", in: endpoint, \.clientKey, ValueFormat.text("a path", 1...4096).orNull(),
                "a file with the key of the client's certificate (PEM); null if the certificate's file contains it"),
            ConfigurationKey(
                path + "clientKeyPassword", in: endpoint, \.clientKeyPassword,
                ValueFormat.secret(atLeast: 1).orNull(), "the password of an encrypted client key"),
            ConfigurationKey(
                path + "denyPrivate", in: endpoint, \.denyPrivate, .boolean,
                "refuse addresses that are not on the public Internet, also after a redirect"),
            ConfigurationKey(
                path + "breaker.failures", in: endpoint, \.breaker.failures, .integer(1...1_000_000),
                "the number of failures in a row that opens the circuit"),
            ConfigurationKey(
                path + "breaker.cooldown", in: endpoint, \.breaker.cooldown,
                .seconds(milliseconds: 1...86_400_000), "how long the circuit stays open before one call is let through"
            ),
        ]
    }
}
