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
        /// How the body of a request is written.
        public enum Body: String, Sendable, CaseIterable {
            /// A JSON object.
            case json
            /// Fields as a page's form sends them.
            case form
        }

        public var body = Body.json
        /// Sent beside the credentials in each body: `grant_type`, a client's id and secret.
        public var fields: [String: Secret] = [:]
        /// The statuses that mean that the credentials are wrong.
        public var noStatuses = [401, 403]
        /// What a good answer must have, and not as `null`, `false` or an empty text; nil where the status says it all.
        public var pointer: JSONPointer?
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
        /// How many more calls may wait for their turn; nil for four times as many.
        public var maxWaiting: Int?
        public var maxBodyBytes = 65536
        public var maxHeaderBytes = 65536
        public var lowSpeed = LowSpeed()
        /// A file of certificates to trust in place of the system's.
        public var caFile: String?
        /// A file with the certificate that says who calls.
        public var clientCertificate: String?
        /// A file with its key; nil where that file has it too.
        public var clientKey: String?
        public var clientKeyPassword: Secret?
        /// True refuses addresses that mean something inside a network only; the embedded server is always called.
        public var denyPrivate = false
        public var breaker = Breaker()
    }

    /// When to give up an answer that has begun.
    public struct LowSpeed: Sendable, Hashable {
        /// So few bytes a second are too few; 0 for never.
        public var bytes = 16
        /// How long they have to be.
        public var time = Duration.seconds(10)
    }

    /// When to stop calling a service that fails.
    public struct Breaker: Sendable, Hashable {
        /// How many failures in a row open the circuit.
        public var failures = 10
        /// How long it stays open before one call is let through.
        public var cooldown = Duration.seconds(5)
    }
}
