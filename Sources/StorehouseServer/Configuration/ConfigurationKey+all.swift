import JSON

extension ConfigurationKey {
    /// Every key, in the order of the file.
    package static let all: [ConfigurationKey] =
        http + sessions + streams + upstreams + storage + [
            ConfigurationKey(
                "admin.token", \.admin.token, ValueFormat.secret(atLeast: 16).orNull(),
                "the bearer token of `/admin/…`; without one, one is made at each start and written to standard error"),
            ConfigurationKey("log.level", \.log.level, .choice, "the least level that is written"),
            ConfigurationKey("log.format", \.log.format, .choice, "how a line of the log is written"),
            ConfigurationKey("inspector.enabled", \.inspector.enabled, .boolean, "serve the inspector page at `/`"),
        ]

    private static let second = 1000
    private static let day = 86_400_000
    private static let year = 366 * day

    private static let http: [ConfigurationKey] = [
        ConfigurationKey(
            "http.host", \.http.host, .text("a host name or an IP address", 1...255),
            "the address to listen on; `0.0.0.0` is every one of IPv4"),
        ConfigurationKey("http.port", \.http.port, .integer(0...65535), "the port to listen on; 0 takes a free one"),
        ConfigurationKey("http.threads", \.http.threads, .integer(0...1024), "event loops; 0 is one for each core"),
        ConfigurationKey(
            "http.maxBodyBytes", \.http.maxBodyBytes, .integer(1...1 << 30), "the largest body of a request"),
        ConfigurationKey(
            "http.maxHeaderBytes", \.http.maxHeaderBytes, .integer(1024...1 << 20),
            "the largest header section of a request"),
        ConfigurationKey(
            "http.headerTimeout", \.http.headerTimeout, .seconds(milliseconds: 1...day),
            "how long the headers of a request may take"),
        ConfigurationKey(
            "http.bodyTimeout", \.http.bodyTimeout, .seconds(milliseconds: 1...day),
            "how long the body of a request may take"),
        ConfigurationKey(
            "http.idleTimeout", \.http.idleTimeout, .seconds(milliseconds: 1...day),
            "how long a connection is kept open between requests"),
        ConfigurationKey(
            "http.maxConnections", \.http.maxConnections, .integer(0...10_000_000),
            "connections at once; 0 is as the file limit allows, less a reserve"),
        ConfigurationKey(
            "http.allowedOrigins", \.http.allowedOrigins,
            ValueFormat.origin.list("a list of origins such as \"https://example.org\", or of \"*\""),
            "the origins whose pages may use the API (CORS)"),
        ConfigurationKey(
            "http.drainTimeout", \.http.drainTimeout, .seconds(milliseconds: 1...day),
            "how long a drain lasts before what is left is cut"),
        ConfigurationKey(
            "http.maxWait", \.http.maxWait, .seconds(milliseconds: 1...day),
            "the longest that `Prefer: wait=N` holds an answer"),
    ]

    private static let sessions: [ConfigurationKey] = [
        ConfigurationKey(
            "sessions.defaultStore", \.sessions.defaultStore, .text("the name of a store kind", 1...64),
            "the store kind of a session that names none"),
        ConfigurationKey("sessions.max", \.sessions.max, .integer(1...1_000_000_000), "sessions at once"),
        ConfigurationKey(
            "sessions.maxResident", \.sessions.maxResident, .integer(1...1_000_000_000),
            "sessions that stay in memory where storage keeps them; the others wake when they are used"),
        ConfigurationKey(
            "sessions.idleTimeout", \.sessions.idleTimeout, .seconds(milliseconds: 1...100 * year),
            "how long a session lives that nobody uses"),
    ]

    private static let streams: [ConfigurationKey] = [
        ConfigurationKey(
            "streams.heartbeat", \.streams.heartbeat, .seconds(milliseconds: 1...day),
            "the longest silence of an event stream before it gets a comment"),
        ConfigurationKey(
            "streams.maxPerSession", \.streams.maxPerSession, .integer(1...1_000_000),
            "event streams of one session at once"),
        ConfigurationKey(
            "streams.bufferBytes", \.streams.bufferBytes, .integer(1024...1 << 30),
            "what may wait for a slow reader before it is moved to the latest value"),
        ConfigurationKey(
            "streams.maxLifetime", \.streams.maxLifetime, .seconds(milliseconds: 0...year),
            "how long an event stream lives at most, and 80% of it at least; 0 is for ever"),
    ]

    private static let storage: [ConfigurationKey] = [
        ConfigurationKey("storage.kind", \.storage.kind, .choice, "where commits are kept"),
        ConfigurationKey(
            "storage.path", \.storage.path, .text("a path", 1...4096), "the database file of `sqlite`"),
        ConfigurationKey(
            "storage.durability", \.storage.durability, .choice,
            "`full`: committed and synced before the answer; `relaxed`: soon after"),
        ConfigurationKey(
            "storage.keepCommits", \.storage.keepCommits, .integer(1...1_000_000_000),
            "how many commits of a session its action log keeps at least"),
        ConfigurationKey(
            "storage.keepDays", \.storage.keepDays, .integer(0...36_500),
            "after how many days `sqlite` lets go of commits however few they are; 0 is never"),
        ConfigurationKey(
            "storage.key", \.storage.key, ValueFormat.storageKey.orNull(),
            "seals the secrets that are kept, passwords say; without one they are left out"),
    ]
}
