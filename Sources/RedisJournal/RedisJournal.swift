import CCrypto
import Dispatch
package import JSON
package import Journal
import Locks
import Platform
package import Sockets
package import StoreHosting
import Stores
import Synchronization

/// Persists commits in Redis 7, so that sessions outlive the process and the machine.
///
/// Any number of nodes use a prefix of a server at a time. Loading a session claims it for a node, and it
/// belongs to that node until the node closes its journal or the node's lease ends. Each commit is one atomic script, which
/// refuses it unless it follows the stored revision and comes from the newest claim of the session. If the connection is lost,
/// commands are repeated on the next one, and the scripts recognize commands that were executed already.
///
/// All keys are on one primary of a Redis Cluster. The journal follows `MOVED` to it from any node. While the keys are being moved
/// to another primary it is unavailable.
///
/// A command that is not answered within 3.5 seconds fails. If Redis may have executed it, the error is
/// `JournalError.outcomeUnknown`.
package final class RedisJournal: Journal, EventLoopUser {
    /// How it is known that the settings of the server keep what is acknowledged.
    package enum SettingsOrigin: Sendable {
        /// The server shows them with `CONFIG GET`.
        case checked
        /// The operator has set them, and says so. The server need not show them.
        case trusted
    }

    /// The guarantee that `SessionJournal.whenDurable(through:notify:)` waits for.
    package enum Durability: Sendable {
        /// Redis has synced the commit to its disk: `appendonly yes` and `appendfsync always` are required.
        case full
        /// Redis has taken the commit, and syncs it within a second: `appendfsync everysec` is enough.
        case relaxed
    }

    let connection: RedisConnection
    let names: RedisNames
    let sealer: any SecretSealer
    let limits: RetentionLimits
    let recentCommits = RecentCommitsBudget()
    /// Nil for the clock of Redis.
    private let ownTime: (@Sendable () -> Int)?
    // The replies to reads are decoded and used on these queues, because the connection's thread must not be kept busy.
    // Lookups have their own queue, so that long lists and histories do not delay them.
    private let lookups = DispatchQueue(label: "journal.lookup")
    private let reads = DispatchQueue(label: "journal.history")

    /// Connects to a server, and waits until the node has a lease.
    ///
    /// - Parameters:
    ///   - address: the server.
    ///   - prefix: the first part of the names of all keys. Storages with different prefixes share a server.
    ///   - durability: the guarantee that a commit waits for.
    ///   - replicas: how many replicas must have a commit as well.
    ///   - keepCommits: the minimum number of commits that a session retains, within the next limit.
    ///   - keepBytes: the size of a session's commits above which the oldest are deleted, however few there are.
    ///   - sealer: encrypts the ids of sessions; its key must stay the same.
    ///   - node: where other nodes reach this one: `host:port`.
    ///   - secret: the secret that the nodes share. A node with another one is refused.
    ///   - lease: for how long sessions belong to a node that was killed.
    ///   - waitTimeout: how long to wait for a server that does not answer. After that it is awaited in the background.
    ///   - settings: how it is known that the settings of the server keep what is acknowledged.
    ///   - report: receives the events of the storage, on any thread.
    /// - Throws: why the server cannot be used, and what to do about it.
    package convenience init(
        _ address: RedisAddress, prefix: String = "storehouse", durability: Durability = .full, replicas: Int = 0,
        keepCommits: Int = 1000, keepBytes: Int = 64 << 20, sealer: any SecretSealer, node: String, secret: String,
        lease: Duration = .seconds(5), waitTimeout: Duration = .seconds(2),
        settingsAre settings: SettingsOrigin = .checked,
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws(StorageError) {
        try self.init(
            address, prefix: prefix, durability: durability, replicas: replicas, keepCommits: keepCommits,
            keepBytes: keepBytes, sealer: sealer, node: node, secret: secret, lease: lease, waitTimeout: waitTimeout,
            settingsAre: settings, now: nil, report: report)
    }

    /// - Parameters:
    ///   - timeouts: how long to wait for the server.
    ///   - now: the time in milliseconds since 1970-01-01T00:00:00Z; nil for that of the clock of Redis.
    ///   - wall: the clock of this machine.
    package init(
        _ address: RedisAddress, prefix: String, durability: Durability, replicas: Int, keepCommits: Int,
        keepBytes: Int, sealer: any SecretSealer, node: String, secret: String, lease: Duration, waitTimeout: Duration,
        timeouts: RedisTimeouts = RedisTimeouts(), settingsAre origin: SettingsOrigin = .checked,
        now: (@Sendable () -> Int)?, wall: @escaping @Sendable () -> Int = systemTime,
        report: @escaping @Sendable (StorageEvent) -> Void
    ) throws(StorageError) {
        if let problem = ccrypto_load(CCRYPTO_LIBRARY) {
            throw .refused("libcrypto cannot be loaded (Debian package: libssl3): \(String(cString: problem))")
        }
        let node = RedisNode(node, secret: secret, lease)
        let settings = RedisSettings(
            address: address, prefix: prefix, isRelaxed: durability == .relaxed, replicas: replicas, sealer: sealer,
            node: node, timeouts: timeouts, areTrusted: origin == .trusted)
        connection = try RedisConnection(settings, node, RedisClock(wall: wall), report)
        names = RedisNames(tag: settings.tag)
        self.sealer = sealer
        limits = RetentionLimits(keepCommits: keepCommits, keepBytes: keepBytes)
        ownTime = now
        try connection.start(waitTimeout: waitTimeout)
    }

    deinit { connection.close() }

    package func use(_ loops: [any EventLoop]) { connection.use(loops) }

    /// How many event loops have connections of their own now.
    package var laneCount: Int { connection.lanes.count(where: \.isOpen) }

    package var outlivesProcess: Bool { true }

    package var isShared: Bool { true }

    /// If Redis has lost commits, the journal notices it, and gives the histories other names.
    package var epoch: Int? { nil }

    package var sharedTime: SharedTime? { ownTime == nil ? connection.clock.shared : nil }

    var now: Int { ownTime?() ?? connection.clock.now }

    /// The moment before which records may be deleted that are kept for `age` milliseconds.
    func expiry(after age: Int) -> Int { ownTime.map { $0() - age } ?? connection.clock.expiry(after: age) }

    package var isAvailable: Bool { connection.isAvailable }

    package var sessionCount: Int { connection.live.load(ordering: .relaxed) }

    package var transactionCount: Int { connection.transactions.load(ordering: .relaxed) }

    package func observeTransactions(_ observer: @escaping @Sendable (Duration) -> Void) {
        connection.transactionObserver.set(observer)
    }

    /// Calls `observer` with the time that Redis takes to answer, from now on: from each write of commands to the last reply to
    /// it. It is called on any thread, so it must be quick. A second call replaces the observer.
    package func observeLatency(_ observer: @escaping @Sendable (Duration) -> Void) {
        connection.latencyObserver.set(observer)
    }

    package func observeOwnership(_ observer: @escaping @Sendable (OwnershipEvent) -> Void) {
        connection.observeOwnership(observer)
    }

    /// How many nodes use the storage, as far as this one knows.
    package var nodeCount: Int { connection.nodeCount.load(ordering: .relaxed) }

    /// How many sessions this node has claimed from nodes that had not given them back.
    package var takeoverCount: Int { connection.takeovers.load(ordering: .relaxed) }

    /// How many commands Redis has refused because another claim or commit came before them.
    package var conflictCount: Int { connection.conflicts.load(ordering: .relaxed) }

    package func create(_ session: SessionHeader) -> any SessionJournal {
        let position = RedisPosition(checksum: session.checksum)
        let journal = RedisSessionJournal(
            self, id: session.id, RedisClaim(of: connection.membership.incarnation),
            lineageID: connection.lineageID.load(ordering: .acquiring),
            RedisSessionJournal.Progress(position, isCreated: false, cut: 0, limits), SnapshotPolicy(limits),
            lastUse: session.createdAt)
        journal.create(session)
        return journal
    }

    package func load(_ id: String, for subject: Subject?) async throws(JournalError) -> SessionLookup {
        let incarnation = connection.membership.incarnation
        guard incarnation != 0 else { throw .unavailable("the node has no lease") }
        switch try await find(id, RedisNames.hash(of: id), for: subject, incarnation: String(incarnation)) {
        case .unknown: return .unknown
        case .ended(let owner): return .ended(owner: owner)
        case .elsewhere(let address): return .elsewhere(address)
        case .foreign(let owner, let kind): return .foreign(owner: owner, kind: kind)
        case .session(let session, let lineageID):
            return .session(session.summary, session.replayable, session.answers, journal(of: session, lineageID))
        }
    }

    private func journal(of session: RedisStoredSession, _ lineageID: Int) -> RedisSessionJournal {
        var progress = RedisSessionJournal.Progress(session.position, isCreated: true, cut: session.cut, limits)
        for answer in session.answers { progress.pinned.add(answer) }
        if session.isTakenOver { connection.takeovers.add(1, ordering: .relaxed) }
        return RedisSessionJournal(
            self, id: session.summary.header.id, session.claim, lineageID: lineageID, progress,
            SnapshotPolicy(limits, snapshot: session.snapshot, session.rows),
            privateState: session.replayable.privateState,
            lastUse: session.summary.lastActiveAt)
    }

    /// Reads a session.
    ///
    /// - Parameters:
    ///   - subject: a session of another owner is neither claimed nor read; nil for whoever it belongs to.
    ///   - incarnation: that claims it; empty for none.
    func find(
        _ id: String, _ hash: String, for subject: Subject? = nil, incarnation: String
    ) async throws(JournalError) -> Found {
        let arguments = RedisArguments(
            hash, incarnation, String(expiry(after: IdempotencyRecord.lifetime)), subject?.text ?? "")
        let (connection, sealer, lookups) = (connection, sealer, lookups)
        let found: Result<Found, JournalError> = await Promise.value { done in
            connection.call(.load, names.keys(names.session(hash))) {
                arguments
            } done: { result in
                // Now, because the storage may lose commits before the next line runs.
                let lineageID = connection.lineageID.load(ordering: .acquiring)
                if case .success(let reply) = result, let count = Found.writeCount(reply) {
                    connection.writeCount.max(count, ordering: .relaxed)
                }
                lookups.async {
                    done(
                        result.flatMap { reply in
                            Result { () throws(JournalError) in try Found(reply, id, sealer, lineageID: lineageID) }
                        })
                }
            }
        }
        if case .failure(.corrupt(let detail, _)) = found { connection.report(.damaged(session: id, detail)) }
        return try found.get()
    }

    /// Calls a script that reads, and converts its reply.
    func read<Value: Sendable>(
        _ script: RedisScript, of key: String? = nil, _ arguments: [String],
        _ body: @escaping @Sendable ([RedisReply]) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        let reads = reads
        let result: Result<Value, JournalError> = await Promise.value { done in
            connection.call(script, names.keys(key)) {
                RedisArguments(arguments)
            } done: { result in
                reads.async {
                    done(
                        result.flatMap { reply in
                            Result { () throws(JournalError) in
                                guard let fields = reply.array, fields.first?.text == "OK" else {
                                    throw .unavailable("the session is not there")
                                }
                                return try body(fields)
                            }
                        })
                }
            }
        }
        return try result.get()
    }

    var incarnation: String { String(connection.membership.incarnation) }

    static func opened(_ sealed: [UInt8], _ sealer: any SecretSealer) throws(JournalError) -> String {
        guard let clear = sealer.open(sealed) else { throw .corrupt("an id cannot be decrypted with this storage.key") }
        return String(decoding: clear, as: UTF8.self)
    }

    /// Stores the last use of a session in the index `:used`.
    func use(of hash: String, at moment: Int) -> RedisCommand {
        RedisCommand("ZADD", "\(names.tag):used", "XX", "GT", String(moment), hash)
    }

    func recordUse(_ moment: Int, of hash: String) {
        let command = use(of: hash, at: moment)
        run { RedisBatch(command) }
    }

    /// Sends commands whose success nobody waits for.
    func run(_ encode: @escaping @Sendable () -> RedisBatch?) {
        connection.send(
            RedisCall(.read, deadline: connection.nextDeadline, encode: encode, done: { _ in }))
    }

    /// Removes the traces of sessions that do not exist.
    ///
    /// - Parameter moment: a session that was used later may still be created; nil for sessions whose creation was refused.
    func unindex(_ hashes: [String], olderThan moment: Int? = nil) {
        guard !hashes.isEmpty else { return }
        run { [names, connection] in
            RedisBatch(hashes.flatMap { names.removal(of: $0, olderThan: moment, connection.encode) })
        }
    }

    package func end(_ id: String, at moment: Int) { end(id) }

    package func endUnused(_ id: String, createdAt: Int, at moment: Int) { end(id, createdAt: String(createdAt)) }

    /// - Parameter createdAt: empty to end the session also if it was used.
    private func end(_ id: String, createdAt: String = "") {
        let hash = RedisNames.hash(of: id)
        let incarnation = incarnation
        connection.send(
            RedisCall(
                .write, deadline: connection.nextDeadline,
                encode: { [names, connection] in
                    names.end(of: hash, claim: "", incarnation: incarnation, createdAt: createdAt, connection.encode)
                },
                done: { [connection] result in
                    guard case .success(let reply) = result, let written = RedisWritten(reply) else { return }
                    connection.acknowledge(written)
                }))
    }

    package func close() async {
        connection.close()
        await connection.closed()
    }
}
