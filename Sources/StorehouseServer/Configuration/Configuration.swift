/// All that can be set about a server, every value at its default to begin with.
///
/// What each key is called outside, what it allows and what it means stands in `ConfigurationKey.all`, in the same
/// order. Lengths of time are exact to the microsecond.
public struct Configuration: Sendable, Hashable {
    public var http = Http()
    public var sessions = Sessions()
    public var streams = Streams()
    public var upstreams = Upstreams()
    public var storage = Storage()
    public var admin = Admin()
    public var log = Logging()
    public var inspector = Inspector()

    /// Every value at its default.
    public init() {}

    /// Listening, and what a client may ask for.
    public struct Http: Sendable, Hashable {
        public var host = "127.0.0.1"
        public var port = 8080
        public var threads = 0
        public var maxBodyBytes = 65536
        public var maxHeaderBytes = 16384
        public var headerTimeout = Duration.seconds(10)
        public var bodyTimeout = Duration.seconds(30)
        public var idleTimeout = Duration.seconds(60)
        public var maxConnections = 0
        public var allowedOrigins: [String] = []
        public var drainTimeout = Duration.seconds(10)
        public var maxWait = Duration.seconds(60)
    }

    /// How many sessions there may be, and for how long.
    public struct Sessions: Sendable, Hashable {
        public var defaultStore = "app"
        public var max = 1_000_000
        /// How many of them stay in memory where the others rest in storage.
        public var maxResident = 20_000
        public var idleTimeout = Duration.seconds(86400)
    }

    /// Event streams.
    public struct Streams: Sendable, Hashable {
        public var heartbeat = Duration.seconds(15)
        public var maxPerSession = 64
        public var bufferBytes = 65536
        /// Zero for no end.
        public var maxLifetime = Duration.zero
    }

    /// Where commits are kept.
    public struct Storage: Sendable, Hashable {
        /// What keeps them.
        public enum Kind: String, Sendable, CaseIterable {
            case memory, sqlite
        }

        /// What the answer to an action promises about its commit.
        public enum Durability: String, Sendable, CaseIterable {
            /// It is committed and synced before the answer leaves.
            case full
            /// It is committed soon after.
            case relaxed
        }

        public var kind = Kind.memory
        public var path = "storehouse.db"
        public var durability = Durability.full
        /// How many commits of a session are kept at least.
        public var keepCommits = 1000
        /// After how many days commits go however few they are; zero for never.
        public var keepDays = 0
        /// Without one no secret is kept.
        public var key: StorageKey?
    }

    /// Who may list sessions.
    public struct Admin: Sendable, Hashable {
        /// Without one the server makes one at each start.
        public var token: Secret?
    }

    /// What is logged, and how.
    public struct Logging: Sendable, Hashable {
        public var level = LogLevel.info
        public var format = LogFormat.text
    }

    /// The page at `/`.
    public struct Inspector: Sendable, Hashable {
        public var enabled = true
    }
}
