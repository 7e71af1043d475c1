import JSON
import Security
import Sockets

extension Configuration {
    /// Every key, in the order of the file.
    package static let keys: [ConfigurationKey<Configuration>] = [
        httpKeys, accessKeys, sessionKeys, streamKeys, limitKeys, upstreamKeys, storageKeys, clusterKeys,
        otherKeys,
    ].flatMap(\.self)

    private static let day = 86_400_000
    private static let year = 366 * day

    private static let httpKeys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey(
            "http.host", \.http.host, .text("a host name or an IP address", 1...255),
            "the address to listen on; `0.0.0.0` is every IPv4 address; of a name, such as `localhost`, all addresses"),
        ConfigurationKey("http.port", \.http.port, .integer(0...65535), "the port to listen on; 0 takes a free one"),
        ConfigurationKey(
            "http.listen", \.http.listen,
            ValueFormat.listenAddress.list(
                "a list of \"unix:\" with an absolute path of at most \(UnixSocketPath.maxBytes) bytes, or of a host with a port"
            ),
            "further addresses to listen on, such as `unix:/run/storehouse/storehouse.sock` or `10.0.0.1:8080`; sockets that "
                + "systemd passes are used too"),
        ConfigurationKey(
            "http.basePath", \.http.basePath, .basePath,
            "stands before every path, as a proxy passes them on, such as `/storehouse`; empty for none"),
        ConfigurationKey(
            "http.threads", \.http.threads, .integer(0...1024), "the number of event loops; 0 is one for each core"),
        ConfigurationKey(
            "http.maxBodyBytes", \.http.maxBodyBytes, .integer(1...1 << 30), "the largest body of a request"),
        ConfigurationKey(
            "http.maxHeaderBytes", \.http.maxHeaderBytes, .integer(1024...1 << 20),
            "the largest header section of a request"),
        ConfigurationKey(
            "http.headerTimeout", \.http.headerTimeout, .seconds(milliseconds: 1...day),
            "the longest time for the header section of a request"),
        ConfigurationKey(
            "http.bodyTimeout", \.http.bodyTimeout, .seconds(milliseconds: 1...day),
            "the longest time for the body of a request"),
        ConfigurationKey(
            "http.minBodyRate", \.http.minBodyRate, .integer(0...1 << 30),
            "how many bytes of a body must come in each second, on average after the first 5 seconds; 0 is any rate"),
        ConfigurationKey(
            "http.idleTimeout", \.http.idleTimeout, .seconds(milliseconds: 1...day),
            "how long a connection stays open between requests, or while its client takes nothing of what is sent, or acknowledges "
                + "nothing; longer than the keep-alive of a proxy in front"),
        ConfigurationKey(
            "http.maxConnections", \.http.maxConnections, .integer(0...10_000_000),
            "the largest number of connections; at the limit idle ones are closed for new ones, and probes are answered all the "
                + "same; 0 is the limit on open files less a reserve; one of several nodes has a quarter more, at most 1024, for "
                + "other nodes"),
        ConfigurationKey(
            "http.inputBudget", \.http.inputBudget, .integer(1 << 20...1 << 50),
            "how many bytes all clients together may have sent of requests that have not arrived completely or wait; beyond that, "
                + "the oldest are cut; at most a quarter of `memory.limit`"),
        ConfigurationKey(
            "http.outputBudget", \.http.outputBudget, .integer(1 << 20...1 << 50),
            "how many bytes may wait for all clients together; beyond that, clients that read nothing are disconnected; at most a "
                + "quarter of `memory.limit`"),
        ConfigurationKey(
            "http.allowedOrigins", \.http.allowedOrigins,
            ValueFormat.origin.list(
                "a list of origins such as \"https://example.org\", with no slash at the end, or of \"*\""),
            "the origins whose pages may use the API, beside that of the server itself (CORS)"),
        ConfigurationKey(
            "http.allowedHosts", \.http.allowedHosts,
            ValueFormat.host.list("a list of host names or IP addresses without a port, or of \"*\""),
            "the hosts that requests may name in `Host`; if empty, every host, or `localhost`, `127.0.0.1`, `[::1]` and "
                + "`http.host` if the server listens on a loopback address"),
        ConfigurationKey(
            "http.trustedProxies", \.http.trustedProxies,
            ValueFormat.addressRange.list(
                "a list of IP addresses and networks such as \"10.0.0.0/8\", or of \"unix\""),
            "the proxies whose `Forwarded` and `X-Forwarded-…` fields are believed; `unix` is every client of a Unix socket"
        ),
        ConfigurationKey(
            "http.http2", \.http.http2, .http2,
            "the clients that may speak HTTP/2 without TLS (with prior knowledge): `trusted` is those of a Unix socket, of this machine "
                + "and of `http.trustedProxies`; `true` is all, `false` is none"),
        ConfigurationKey(
            "http.drainTimeout", \.http.drainTimeout, .seconds(milliseconds: 1...day),
            "the longest time from SIGTERM to the end of the process"),
        ConfigurationKey(
            "http.maxWait", \.http.maxWait, .seconds(milliseconds: 1...day),
            "the longest time that `Prefer: wait=N` delays an answer"),
    ]

    private static let accessKeys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey(
            "access.mode", \.access.mode, .choice,
            "`capability`: who knows a session's id may use it; `token`: its owner may, with a JSON Web Token"),
        ConfigurationKey(
            "access.secret", \.access.secret, ValueFormat.secret(atLeast: VerificationKey.minSecretBytes).orNull(),
            "the key of tokens that are signed with HS256; shares are sealed with it too"),
        ConfigurationKey(
            "access.publicKeys", \.access.publicKeys,
            ValueFormat.text("a path", 1...4096).list("a list of paths"),
            "PEM files with the public keys of tokens that are signed with RS256, ES256 or EdDSA"),
        ConfigurationKey(
            "access.jwksURL", \.access.jwksURL, ValueFormat.url(headers: nil).orNull(),
            "the JSON Web Key Set of an identity provider, fetched when a token names a key that is not known yet"),
        ConfigurationKey(
            "access.issuer", \.access.issuer, ValueFormat.text("a text", 1...1024).orNull(),
            "what the claim `iss` must be; null is anything"),
        ConfigurationKey(
            "access.audience", \.access.audience, ValueFormat.text("a text", 1...1024).orNull(),
            "what the claim `aud` must be or contain; null is anything"),
        ConfigurationKey(
            "access.nameClaim", \.access.actorClaims.name, .pointer(suchAs: "/name"),
            "the claim with the name of a user for people to read"),
        ConfigurationKey(
            "access.rolesClaim", \.access.actorClaims.roles, .pointer(suchAs: "/realm_access/roles"),
            "the claim with the roles of a user, a list of texts"),
    ]

    private static let sessionKeys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey(
            "sessions.defaultStore", \.sessions.defaultStore, .text("the name of a store kind", 1...64),
            "the store kind of a session whose creation names none"),
        ConfigurationKey("sessions.max", \.sessions.max, .integer(1...1_000_000_000), "the largest number of sessions"),
        ConfigurationKey(
            "sessions.maxResident", \.sessions.maxResident, .integer(1...1_000_000_000),
            "how many sessions stay in memory if `storage.kind` is not `memory`; beyond that, sessions that are idle longest "
                + "hibernate until they are used"
        ),
        ConfigurationKey(
            "sessions.idleTimeout", \.sessions.idleTimeout, .seconds(milliseconds: 0...100 * year),
            "how long a session lives that nobody uses; 0 is no limit; a stream and a timer that is to fire count as use; null is "
                + "the default",
            default: "`86400` in memory, `0` with durable storage"
        ) { $0.sessions.idleTimeout(outlivesProcess: $0.storage.kind.outlivesProcess) },
        ConfigurationKey(
            "sessions.unusedTimeout", \.sessions.unusedTimeout, .seconds(milliseconds: 0...100 * year),
            "how long a session lives that was created and never used, if that is shorter than `sessions.idleTimeout`; 0 is no "
                + "limit of its own; null is the default",
            default: "`600` in memory, `86400` with durable storage"
        ) { $0.sessions.unusedTimeout(outlivesProcess: $0.storage.kind.outlivesProcess) },
        ConfigurationKey(
            "sessions.maxStateBytes", \.sessions.maxStateBytes, .integer(1024...1 << 30),
            "the largest state as JSON that a client can make; results of effects may exceed it by an eighth, at least 64 KiB"
        ),
        ConfigurationKey(
            "sessions.maxIdempotencyKeys", \.sessions.maxIdempotencyKeys, .integer(1...10_000_000),
            "how many idempotency keys a session remembers at a time, each for ten minutes; beyond that, a new key is refused"
        ),
        ConfigurationKey(
            "sessions.maxShares", \.sessions.maxPermits, .integer(1...100_000),
            "the largest number of shares of one session that have neither expired nor been revoked"),
        ConfigurationKey(
            "sessions.maxClients", \.sessions.maxClients, .integer(1...100_000),
            "how many clients of `…/sync` a session remembers; a user, a guest or a share without `as` has at most 256 of them; beyond that, the longest unused is forgotten, but none that was used within ten minutes"
        ),
        ConfigurationKey(
            "sessions.clientRetention", \.sessions.clientRetention, .seconds(milliseconds: 600_000...100 * year),
            "how long a session remembers a client of `…/sync` that is not used"),
    ]

    private static let streamKeys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey(
            "streams.heartbeat", \.streams.heartbeat, .seconds(milliseconds: 1...day),
            "the longest silence of an event stream; then it gets a comment"),
        ConfigurationKey(
            "streams.maxPerSession", \.streams.maxPerSession, .integer(1...1_000_000),
            "the largest number of event streams of one session"),
        ConfigurationKey(
            "streams.maxViews", \.streams.maxViews, .integer(1...1_000_000),
            "the largest number of combinations of selection and format among the event streams of one session"),
        ConfigurationKey(
            "streams.maxActorViews", \.streams.maxActorViews, .integer(1...1_000_000),
            "how many combinations of actor, selector and format there may be besides, for selectors with a value for each actor; each actor has at most `streams.maxViews` of them"
        ),
        ConfigurationKey(
            "streams.bufferBytes", \.streams.bufferBytes, .integer(1024...1 << 30),
            "how much may wait for a slow reader; beyond that it gets the latest state instead of each change"),
        ConfigurationKey(
            "streams.maxLifetime", \.streams.maxLifetime, .seconds(milliseconds: 0...year),
            "the longest life of an event stream, and 80% of it is the shortest; 0 is no limit"),
        ConfigurationKey(
            "streams.presenceGrace", \.streams.presenceGrace, .seconds(milliseconds: 0...day),
            "how long an actor counts as present after the end of its last event stream"),
    ]

    /// The sections that may be null as a whole.
    package static let optionalSections = ["limits.actions", "limits.sessions", "limits.requests", "limits.signals"]

    private static let limitKeys: [ConfigurationKey<Configuration>] = [
        rateKeys(
            "limits.actions", \.limits.actions, "actions of one session; a batch counts as many as it has actions"),
        rateKeys("limits.sessions", \.limits.sessions, "sessions that one client address creates or forks"),
        rateKeys("limits.requests", \.limits.requests, "requests of one client address"),
        rateKeys("limits.signals", \.limits.signals, "signals of one actor in one session"),
    ].flatMap(\.self)

    private static func rateKeys(
        _ path: String, _ limit: any WritableKeyPath<Configuration, RateLimit> & Sendable, _ what: String
    ) -> [ConfigurationKey<Configuration>] {
        [
            ConfigurationKey(
                path + ".rate", in: limit, \.rate, ValueFormat.decimal(RateLimit.rates).orNull(),
                "the number per second of \(what); null is no limit", defaults: Configuration()),
            ConfigurationKey(
                path + ".burst", in: limit, \.burst, ValueFormat.integer(RateLimit.bursts).orNull(),
                "how many of them are allowed at once; null is `\(path).rate`, and at least 1",
                defaults: Configuration()),
        ]
    }

    private static let upstreamKeys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey(
            "upstreams.embedded", \.upstreams.embedded, .boolean,
            "serve each remote service that has no `url` from inside the process, over a loopback socket"),
        ConfigurationKey(
            "upstreams.maxDelay", \.upstreams.maxDelay, .seconds(milliseconds: 0...3_600_000),
            "the longest random delay of a GET of an embedded service"),
    ]

    private static let storageKeys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey("storage.kind", \.storage.kind, .choice, "where commits are stored"),
        ConfigurationKey(
            "storage.path", \.storage.path, .text("a path", 1...4096), "the database file of `sqlite`"),
        ConfigurationKey(
            "storage.durability", \.storage.durability, .choice,
            "`full`: written and synced before the answer; `relaxed`: soon after"),
        ConfigurationKey(
            "storage.keepCommits", \.storage.keepCommits, .integer(1...1_000_000_000),
            "the number of commits that the action log of a session keeps at least, within the next two limits"),
        ConfigurationKey(
            "storage.keepBytes", \.storage.keepBytes, .integer(65_536...1 << 40),
            "the size in bytes above which the oldest commits of a session are deleted, however few there are"),
        ConfigurationKey(
            "storage.keepDays", \.storage.keepDays, .integer(0...36_500),
            "the age in days at which `sqlite` deletes commits whatever their number; 0 is never"),
        ConfigurationKey(
            "storage.key", \.storage.key, ValueFormat.storageKey.orNull(),
            "encrypts stored secrets such as passwords; without a key they are not stored; `redis` needs it for the ids of "
                + "sessions too"),
        ConfigurationKey(
            "storage.redis.url", \.storage.redis.url, .redisURL,
            "the server of `redis`: `redis://[[user]:password@]host[:port][/database]` or "
                + "`unix://[[user]:password@]/path[?db=database]`"),
        ConfigurationKey(
            "storage.redis.replicas", \.storage.redis.replicas, .integer(0...100),
            "how many replicas must have a commit before it is acknowledged"),
        ConfigurationKey(
            "storage.redis.prefix", \.storage.redis.prefix, .keyPrefix,
            "the first part of the names of all keys; storages with different prefixes share a server"),
        ConfigurationKey(
            "storage.redis.settings", \.storage.redis.settings, .choice,
            "`checked`: the server shows with `CONFIG GET` that it keeps what `storage.durability` demands; `trusted`: you know "
                + "that it does, and it need not show it"),
    ]

    private static let clusterKeys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey(
            "cluster.address", \.cluster.address, .hostAndPort,
            "where other nodes reach this one; it is the name of the node; `redis` needs it"),
        ConfigurationKey(
            "cluster.secret", \.cluster.secret, ValueFormat.secret(atLeast: 32).orNull(),
            "proves to a node that a request comes from another one; the same on every node; `redis` needs it"),
        ConfigurationKey(
            "cluster.lease", \.cluster.lease, .seconds(milliseconds: 1000...60_000),
            "how long the sessions of a node that was killed or cut off wait for another node"),
    ]

    private static let otherKeys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey(
            "memory.limit", \.memory.limit, .integer(0...1 << 50),
            "the bytes of memory beyond which creations, forks and all but small actions are refused with 503; 0 is 85% of "
                + "the control group's limit, if it has one"),
        ConfigurationKey(
            "memory.coreDumps", \.memory.coreDumps, .boolean,
            "let the system write a core file after a fault, if its own limit allows that; the file has every key, password and "
                + "session id"),
        ConfigurationKey(
            "admin.token", \.admin.token, ValueFormat.secret(atLeast: 16).orNull(),
            "the bearer token of `/admin/…`; without one, `/admin` is off, except for tokens with the permission `admin`"
        ),
        ConfigurationKey("log.level", \.log.level, .choice, "the lowest level that is written"),
        ConfigurationKey("log.format", \.log.format, .choice, "the format of a log line"),
        ConfigurationKey(
            "log.access", \.log.access, .choice,
            "the requests that have a line, whatever `log.level` is: `errors` are 5xx and cut connections"),
        ConfigurationKey(
            "log.actors", \.log.actors, .choice,
            "how such a line names the user of a request: by the first 8 hexadecimal digits of the SHA-256 of the id, by the id, or "
                + "not at all"),
        ConfigurationKey(
            "metrics.port", \.metrics.port, .integer(0...65535),
            "the port of a listener of its own for `/metrics` and `/admin`, at `http.host`; they are then not found at "
                + "`http.port`; 0 leaves them there"),
        ConfigurationKey(
            "clients.javascript", \.clients.javascript, .boolean, "serve the client for browsers at `/client.js`"),
        ConfigurationKey("inspector.enabled", \.inspector.enabled, .boolean, "serve the inspector page at `/`"),
    ]
}
