public import JSON

extension Configuration {
    /// The remote APIs.
    public struct Upstreams: Sendable, Hashable {
        /// True lets the server answer, over a loopback socket, for each API that has no URL.
        public var embedded = true
        /// The longest that the embedded animal API waits before it answers.
        public var maxDelay = Duration.milliseconds(500)
        public var animal = Animal()
        public var auth = Auth()
    }

    /// The API that names animals.
    public struct Animal: Sendable, Hashable {
        public var endpoint = Endpoint()
        /// Where in the answer the animal's name stands.
        public var pointer = JSONPointer(tokens: ["animal"])
    }

    /// The API that checks credentials.
    public struct Auth: Sendable, Hashable {
        public var endpoint = Endpoint()
        public var usernameField = "username"
        public var passwordField = "password"
        /// The statuses that mean that the credentials are wrong.
        public var noStatuses = [401, 403]
    }

    /// How to call one remote API.
    public struct Endpoint: Sendable, Hashable {
        /// http or https, with a host and without user info; nil for the embedded server.
        public var url: String?
        /// Sent with each call. No two names are the same but for case.
        public var headers: [String: Secret] = [:]
        /// The deadline of a whole call, retries included.
        public var timeout = Duration.seconds(5)
        public var retries = 2
        public var maxConcurrent = 256
        public var maxBodyBytes = 65536
        public var breaker = Breaker()
    }

    /// When to stop calling a service that fails.
    public struct Breaker: Sendable, Hashable {
        /// How many failures in a row open the circuit.
        public var failures = 10
        /// How long it stays open before one call is let through.
        public var cooldown = Duration.seconds(5)
    }
}
