package import Cluster
import JSON
public import Observability
import Sessions

/// The settings of a server. A new value has the default of every setting.
///
/// `docs/configuration.md` has the name, the range and the meaning of each setting, in the same order. Durations are exact to the
/// microsecond.
public struct Configuration: Sendable, Hashable {
    public var http = Http()
    public var access = Authorization()
    public var sessions = Sessions()
    public var streams = Streams()
    public var limits = Limits()
    public var upstreams = Upstreams()
    public var storage = Storage()
    public var cluster = Cluster()
    public var memory = Memory()
    public var admin = Admin()
    public var log = Logging()
    public var metrics = Metrics()
    public var inspector = Inspector()
    /// Lines for the log about the sources from which it was read.
    package var notices: [ConfigurationNotice] = []

    /// The default of every setting.
    public init() {}

    /// Listening, and the limits of requests.
    public struct Http: Sendable, Hashable {
        public var host = "127.0.0.1"
        public var port = 8080
        /// Stands before every path, such as `/storehouse`; empty for none.
        public var basePath = ""
        public var threads = 0
        public var maxBodyBytes = 65536
        public var maxHeaderBytes = 16384
        public var headerTimeout = Duration.seconds(10)
        public var bodyTimeout = Duration.seconds(30)
        /// In bytes a second; 0 for none.
        public var minBodyRate = 240
        public var idleTimeout = Duration.seconds(75)
        public var maxConnections = 0
        public var inputBudget = 268_435_456
        public var outputBudget = 268_435_456
        public var allowedOrigins: [String] = []
        /// Host names and addresses without a port, or `*`. If empty, a server on a loopback address has the names of that
        /// address, and any other server has every name.
        public var allowedHosts: [String] = []
        /// Addresses and networks, such as `10.0.0.0/8`.
        public var trustedProxies: [String] = []
        public var drainTimeout = Duration.seconds(10)
        public var maxWait = Duration.seconds(60)
    }

    /// The rules by which clients may use sessions.
    public struct Authorization: Sendable, Hashable {
        /// The thing that gives the right to use a session.
        public enum Mode: String, Sendable, CaseIterable {
            /// Its id.
            case capability
            /// A JSON Web Token of its owner.
            case token
        }

        public var mode = Mode.capability
        /// The key of tokens with HS256, and of shares in both modes. It has 32 bytes at least.
        public var secret: Secret?
        /// PEM files with keys of RS256, ES256 and EdDSA.
        public var publicKeys: [String] = []
        /// The URL of a JSON Web Key Set.
        public var jwksURL: String?
        /// Without an issuer, the tokens of every issuer count that a key has signed.
        public var issuer: String?
        /// Without an audience, the tokens for every audience count.
        public var audience: String?
    }

    /// The number of sessions and their lifetime.
    public struct Sessions: Sendable, Hashable {
        public var defaultStore = "app"
        public var max = 1_000_000
        /// The number of sessions that stay in memory if storage can hold the others.
        public var maxResident = 20_000
        /// How long a session lives that nobody uses; zero for no limit. Nil is a day in memory, and no limit with durable storage.
        public var idleTimeout: Duration?
        /// How long a session lives on which nothing was done since it was created; zero for no limit. Nil is ten minutes in memory,
        /// and a day with durable storage.
        public var unusedTimeout: Duration?
        /// The number of idempotency keys that a session remembers at a time.
        public var maxIdempotencyKeys = 50_000
        /// The size of the largest state as JSON.
        public var maxStateBytes = 1 << 20
    }

    /// Event streams.
    public struct Streams: Sendable, Hashable {
        public var heartbeat = Duration.seconds(15)
        public var maxPerSession = 10_000
        public var maxViews = 16
        public var bufferBytes = 65536
        /// Zero for no limit.
        public var maxLifetime = Duration.zero
    }

    /// Rate limits. Each is off by default.
    public struct Limits: Sendable, Hashable {
        /// Of one session. A batch counts as many as it has actions.
        public var actions = RateLimit()
        /// Sessions that one client creates or forks.
        public var sessions = RateLimit()
        /// Of one client.
        public var requests = RateLimit()
    }

    /// A rate limit as a token bucket.
    public struct RateLimit: Sendable, Hashable {
        static let rates = TokenBucket.rates
        static let bursts = TokenBucket.bursts

        /// How many are allowed a second, from 0.001 to 1 000 000; nil for no limit.
        public var rate: Double?
        /// How many are allowed at once, from 1 to 1 000 000; nil for as many as a second allows, and at least one.
        public var burst: Int?

        public init(rate: Double? = nil, burst: Int? = nil) {
            self.rate = rate
            self.burst = burst
        }

        /// Nil for no limit.
        var bucket: TokenBucket? {
            rate.flatMap { $0 > 0 ? TokenBucket(rate: $0, burst: burst) : nil }
        }
    }

    /// The embedded stand-ins of remote services. A server whose kinds call none ignores these settings.
    public struct Upstreams: Sendable, Hashable {
        /// Serves each remote service that has no URL from inside the process, over a loopback socket.
        public var embedded = true
        /// The longest random delay of an embedded service's answer.
        public var maxDelay = Duration.milliseconds(500)
    }

    /// Durable storage of commits.
    public struct Storage: Sendable, Hashable {
        /// The implementation of the journal.
        public enum Kind: String, Sendable, CaseIterable {
            case memory, sqlite, redis

            /// Whether sessions are read back after a restart.
            package var outlivesProcess: Bool { self != .memory }
        }

        /// The guarantee of an answer about the commit of its action.
        public enum Durability: String, Sendable, CaseIterable {
            /// The commit is written and synced before the answer leaves.
            case full
            /// The commit is written and synced soon after the answer.
            case relaxed
        }

        public var kind = Kind.memory
        public var path = "storehouse.db"
        public var durability = Durability.full
        /// The number of commits that a session keeps at least.
        public var keepCommits = 1000
        /// The size of a session's commits above which the oldest are deleted, however few there are.
        public var keepBytes = 64 << 20
        /// The age in days at which commits are deleted whatever their number; zero for never.
        public var keepDays = 0
        /// Without a key, secrets are not stored. Redis needs one.
        public var key: SealingKey?
        public var redis = Redis()
    }

    /// The Redis server that stores commits if ``Storage/kind`` is `redis`.
    public struct Redis: Sendable, Hashable {
        /// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]` or `unix://[[USER]:PASSWORD@]/PATH[?db=DATABASE]`.
        public var url = "redis://127.0.0.1:6379/0"
        /// How many replicas must have a commit before it is acknowledged.
        public var replicas = 0
        /// The first part of the names of all keys: 1 to 64 letters, digits, dots, dashes and underscores.
        public var prefix = "storehouse"
        public var settings = Settings.checked

        /// How it is known that the settings of the server keep what ``Storage/durability`` demands.
        public enum Settings: String, Sendable, CaseIterable {
            /// The server shows them with `CONFIG GET`.
            case checked
            /// The operator says so. The server need not show them.
            case trusted
        }
    }

    /// A node among others that serve the same sessions, if ``Storage/kind`` is `redis`.
    public struct Cluster: Sendable, Hashable {
        /// `host:port` at which other nodes reach this one. It is the node's name. Redis needs one.
        public var address = ""
        /// Proves to a node that a request comes from another one; the same on every node. It has 32 bytes at least. Redis needs
        /// one.
        public var secret: Secret?
        /// For how long sessions belong to a node that was killed.
        public var lease = Duration.seconds(5)
        package var waits = ClusterWaits()
    }

    /// The memory of the process.
    public struct Memory: Sendable, Hashable {
        /// In bytes; zero for the limit of the control group, if it has one.
        public var limit = 0
        /// Whether the system may write the memory to a file when the process ends with a fault. The file has all keys, passwords
        /// and session ids.
        public var coreDumps = false
    }

    /// Access to `/admin`.
    public struct Admin: Sendable, Hashable {
        /// Without a token, `/admin` is off, except for tokens of `access.mode` token with the permission `admin`.
        public var token: Secret?
    }

    /// The log.
    public struct Logging: Sendable, Hashable {
        /// Which requests have a line in the log, whatever its level is.
        public enum Requests: String, Sendable, CaseIterable {
            case off
            /// Requests whose answer is 5xx, or whose connection was cut before they had it.
            case errors
            case all
        }

        public var level = LogLevel.info
        public var format = LogFormat.text
        public var access = Requests.errors
    }

    /// The listener of `/metrics` and `/admin`.
    public struct Metrics: Sendable, Hashable {
        /// Zero for the listener of all other resources.
        public var port = 0
    }

    /// The page at `/`.
    public struct Inspector: Sendable, Hashable {
        public var enabled = true
    }
}

extension Configuration {
    /// The file that is read if none is named and it exists, relative to the working directory.
    public static let defaultFile = "config/storehouse.json"

    /// Reads the file and then the environment; the later wins.
    ///
    /// - Parameters:
    ///   - file: must exist. Without one, `config/storehouse.json` is read if it exists.
    ///   - environment: the variables that begin with `STOREHOUSE_` count; nil is the environment of the process.
    /// - Throws: everything that is wrong, at once.
    public static func load(
        file: String? = nil, environment: [String: String]? = nil
    ) throws(ConfigurationError) -> Configuration {
        try load(file: file, environment: environment, flags: [])
    }
}

/// The key that encrypts the secrets of stored sessions. It is never shown.
public struct SealingKey: Sendable, Hashable {
    /// The number of bytes.
    public static let length = 32

    /// The key itself.
    public let bytes: [UInt8]

    /// A key that is written as a text.
    ///
    /// - Parameter text: 32 bytes in base64, with padding or without, or in hexadecimal; nil for anything else.
    public init?(_ text: String) {
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
    public var description: String { Secret.mask }
    public var debugDescription: String { Secret.mask }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text that is never shown: printing, dumping and errors show ``mask``.
public struct Secret: Sendable, Hashable {
    /// The text that is shown in its place.
    public static let mask = "***"

    /// The text itself.
    public let text: String

    /// A secret text.
    public init(_ text: String) {
        self.text = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Self.mask }
    public var debugDescription: String { Self.mask }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
