package import Cluster
import JSON
package import Observability
package import Security
import Sessions

/// The settings of a server. A new value has the default of every setting.
///
/// `docs/reference/configuration.md` has the name, the range and the meaning of each setting, in the same order. Durations are exact to
/// the microsecond.
package struct Configuration: Sendable, Hashable {
    package var http = Http()
    package var access = Authorization()
    package var sessions = Sessions()
    package var streams = Streams()
    package var limits = Limits()
    package var upstreams = Upstreams()
    package var storage = Storage()
    package var cluster = Cluster()
    package var memory = Memory()
    package var admin = Admin()
    package var log = Logging()
    package var metrics = Metrics()
    package var clients = Clients()
    package var inspector = Inspector()
    /// Lines for the log about the sources from which it was read.
    package var notices: [ConfigurationNotice] = []

    /// The default of every setting.
    package init() {}

    /// Listening, and the limits of requests.
    package struct Http: Sendable, Hashable {
        package var host = "127.0.0.1"
        package var port = 8080
        /// Further addresses: `unix:/run/storehouse.sock`, or a host with a port.
        package var listen: [String] = []
        /// Stands before every path, such as `/storehouse`; empty for none.
        package var basePath = ""
        package var threads = 0
        package var maxBodyBytes = 65536
        package var maxHeaderBytes = 16384
        package var headerTimeout = Duration.seconds(10)
        package var bodyTimeout = Duration.seconds(30)
        /// In bytes a second; 0 for none.
        package var minBodyRate = 240
        package var idleTimeout = Duration.seconds(75)
        package var maxConnections = 0
        package var inputBudget = 268_435_456
        package var outputBudget = 268_435_456
        package var allowedOrigins: [String] = []
        /// Host names and addresses without a port, or `*`. If empty, a server on a loopback address has the names of that
        /// address, and any other server has every name.
        package var allowedHosts: [String] = []
        /// Addresses and networks, such as `10.0.0.0/8`; `unix` for the clients of Unix sockets.
        package var trustedProxies: [String] = []
        package var http2 = HTTP2Clients.trusted
        package var drainTimeout = Duration.seconds(10)
        package var maxWait = Duration.seconds(60)
    }

    /// The rules by which clients may use sessions.
    package struct Authorization: Sendable, Hashable {
        /// The thing that gives the right to use a session.
        package enum Mode: String, Sendable, CaseIterable {
            /// Its id.
            case capability
            /// A JSON Web Token of its owner.
            case token
        }

        package var mode = Mode.capability
        /// The key of tokens with HS256, and of shares in both modes. It has 32 bytes at least.
        package var secret: Secret?
        /// PEM files with keys of RS256, ES256 and EdDSA.
        package var publicKeys: [String] = []
        /// The URL of a JSON Web Key Set.
        package var jwksURL: String?
        /// Without an issuer, the tokens of every issuer count that a key has signed.
        package var issuer: String?
        /// Without an audience, the tokens for every audience count.
        package var audience: String?
        /// The places of a user's name and roles in a token.
        package var actorClaims = ActorClaims()
    }

    /// The number of sessions and their lifetime.
    package struct Sessions: Sendable, Hashable {
        package var defaultStore = "app"
        package var max = 1_000_000
        /// The number of sessions that stay in memory if storage can hold the others.
        package var maxResident = 20_000
        /// How long a session lives that nobody uses; zero for no limit. Nil is a day in memory, and no limit with durable storage.
        package var idleTimeout: Duration?
        /// How long a session lives on which nothing was done since it was created; zero for no limit. Nil is ten minutes in memory,
        /// and a day with durable storage.
        package var unusedTimeout: Duration?
        /// The number of idempotency keys that a session remembers at a time.
        package var maxIdempotencyKeys = 50_000
        /// The number of shares that may be valid at a time.
        package var maxPermits = 1000
        package var maxClients = 1000
        package var clientRetention = Duration.seconds(2_592_000)
        /// The size of the largest state as JSON.
        package var maxStateBytes = 1 << 20
    }

    /// Event streams.
    package struct Streams: Sendable, Hashable {
        package var heartbeat = Duration.seconds(15)
        package var maxPerSession = 10_000
        package var maxViews = 16
        package var maxActorViews = 1000
        package var bufferBytes = 65536
        /// Zero for no limit.
        package var maxLifetime = Duration.zero
        /// How long an actor counts as present after its last stream.
        package var presenceGrace = Duration.seconds(10)
    }

    /// Rate limits. All but that of signals are off by default.
    package struct Limits: Sendable, Hashable {
        /// Of one session. A batch counts as many as it has actions.
        package var actions = RateLimit()
        /// Sessions that one client creates or forks.
        package var sessions = RateLimit()
        /// Of one client.
        package var requests = RateLimit()
        /// Of one actor in one session.
        package var signals = RateLimit(rate: 20, burst: 40)
    }

    /// A rate limit as a token bucket.
    package struct RateLimit: Sendable, Hashable {
        static let rates = TokenBucket.rates
        static let bursts = TokenBucket.bursts

        /// How many are allowed a second, from 0.001 to 1 000 000; nil for no limit.
        package var rate: Double?
        /// How many are allowed at once, from 1 to 1 000 000; nil for as many as a second allows, and at least one.
        package var burst: Int?

        package init(rate: Double? = nil, burst: Int? = nil) {
            self.rate = rate
            self.burst = burst
        }

        /// Nil for no limit.
        var bucket: TokenBucket? {
            rate.flatMap { $0 > 0 ? TokenBucket(rate: $0, burst: burst) : nil }
        }
    }

    /// The embedded stand-ins of remote services. A server whose kinds call none ignores these settings.
    package struct Upstreams: Sendable, Hashable {
        /// Serves each remote service that has no URL from inside the process, over a loopback socket.
        package var embedded = true
        /// The longest random delay of an embedded service's answer.
        package var maxDelay = Duration.milliseconds(500)
    }

    /// Durable storage of commits.
    package struct Storage: Sendable, Hashable {
        /// The implementation of the journal.
        package enum Kind: String, Sendable, CaseIterable {
            case memory, sqlite, redis

            /// Whether sessions are read back after a restart.
            package var outlivesProcess: Bool { self != .memory }
        }

        /// The guarantee of an answer about the commit of its action.
        package enum Durability: String, Sendable, CaseIterable {
            /// The commit is written and synced before the answer leaves.
            case full
            /// The commit is written and synced soon after the answer.
            case relaxed
        }

        package var kind = Kind.memory
        package var path = "storehouse.db"
        package var durability = Durability.full
        /// The number of commits that a session keeps at least.
        package var keepCommits = 1000
        /// The size of a session's commits above which the oldest are deleted, however few there are.
        package var keepBytes = 64 << 20
        /// The age in days at which commits are deleted whatever their number; zero for never.
        package var keepDays = 0
        /// Without a key, secrets are not stored. Redis needs one.
        package var key: SealingKey?
        package var redis = Redis()
    }

    /// The Redis server that stores commits if ``Storage/kind`` is `redis`.
    package struct Redis: Sendable, Hashable {
        /// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]` or `unix://[[USER]:PASSWORD@]/PATH[?db=DATABASE]`.
        package var url = "redis://127.0.0.1:6379/0"
        /// How many replicas must have a commit before it is acknowledged.
        package var replicas = 0
        /// The first part of the names of all keys: 1 to 64 letters, digits, dots, dashes and underscores.
        package var prefix = "storehouse"
        package var settings = Settings.checked

        /// How it is known that the settings of the server keep what ``Storage/durability`` demands.
        package enum Settings: String, Sendable, CaseIterable {
            /// The server shows them with `CONFIG GET`.
            case checked
            /// The operator says so. The server need not show them.
            case trusted
        }
    }

    /// A node among others that serve the same sessions, if ``Storage/kind`` is `redis`.
    package struct Cluster: Sendable, Hashable {
        /// `host:port` at which other nodes reach this one. It is the node's name. Redis needs one.
        package var address = ""
        /// Proves to a node that a request comes from another one; the same on every node. It has 32 bytes at least. Redis needs
        /// one.
        package var secret: Secret?
        /// For how long sessions belong to a node that was killed.
        package var lease = Duration.seconds(5)
        package var waits = ClusterWaits()
    }

    /// The memory of the process.
    package struct Memory: Sendable, Hashable {
        /// In bytes; zero for the limit of the control group, if it has one.
        package var limit = 0
        /// Whether the system may write the memory to a file when the process ends with a fault. The file has all keys, passwords
        /// and session ids.
        package var coreDumps = false
    }

    /// Access to `/admin`.
    package struct Admin: Sendable, Hashable {
        /// Without a token, `/admin` is off, except for tokens of `access.mode` token with the permission `admin`.
        package var token: Secret?
    }

    /// The log.
    package struct Logging: Sendable, Hashable {
        /// Which requests have a line in the log, whatever its level is.
        package enum Requests: String, Sendable, CaseIterable {
            case off
            /// Requests whose answer is 5xx, or whose connection was cut before they had it.
            case errors
            case all
        }

        /// How a line in the log names the user of a request.
        package enum Actors: String, Sendable, CaseIterable {
            /// By the first 8 hexadecimal digits of the SHA-256 of the id.
            case mark
            /// By the id.
            case plain
            case off
        }

        package var level = LogLevel.info
        package var format = LogFormat.text
        package var access = Requests.errors
        package var actors = Actors.mark
    }

    /// The listener of `/metrics` and `/admin`.
    package struct Metrics: Sendable, Hashable {
        /// Zero for the listener of all other resources.
        package var port = 0
    }

    /// The libraries for clients that the server serves.
    package struct Clients: Sendable, Hashable {
        package var javascript = true
    }

    /// The page at `/`.
    package struct Inspector: Sendable, Hashable {
        package var enabled = true
    }
}

extension Configuration {
    /// The file that is read if none is named and it exists, relative to the working directory.
    package static let defaultFile = "config/storehouse.json"

    /// Reads the file and then the environment; the later wins.
    ///
    /// - Parameters:
    ///   - file: must exist. Without one, `config/storehouse.json` is read if it exists.
    ///   - environment: the variables that begin with `STOREHOUSE_` count; nil is the environment of the process.
    /// - Throws: everything that is wrong, at once.
    package static func load(
        file: String? = nil, environment: [String: String]? = nil
    ) throws(ConfigurationError) -> Configuration {
        try load(file: file, environment: environment, flags: [])
    }
}

/// The key that encrypts the secrets of stored sessions. It is never shown.
package struct SealingKey: Sendable, Hashable {
    /// The number of bytes.
    package static let length = 32

    /// The key itself.
    package let bytes: [UInt8]

    /// A key that is written as a text.
    ///
    /// - Parameter text: 32 bytes in base64, with padding or without, or in hexadecimal; nil for anything else.
    package init?(_ text: String) {
        let padded = text.utf8.count % 4 == 3 ? text + "=" : text
        guard let bytes = Self.hexadecimal(text) ?? Base64.decode(padded), bytes.count == Self.length else {
            return nil
        }
        self.bytes = bytes
    }

    /// The key in base64.
    var text: String { Base64.encode(bytes) }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count == 2 * length, digits.count == text.utf8.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Secret.mask }
    package var debugDescription: String { Secret.mask }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text that is never shown: printing, dumping and errors show ``mask``.
package struct Secret: Sendable, Hashable {
    /// The text that is shown in its place.
    package static let mask = "***"

    /// The text itself.
    package let text: String

    /// A secret text.
    package init(_ text: String) {
        self.text = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Self.mask }
    package var debugDescription: String { Self.mask }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
