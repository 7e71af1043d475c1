import Journal
import Locks
import RedisJournal
import RedisTesting
import StoreHosting
import Stores
import Testing
import Threads

@Suite("A journal on Redis Cluster", .serialized, .timeLimit(.minutes(5)))
struct RedisClusterTests {
    @Test("finds its sessions from any node, follows them under load, and loses nothing")
    func followsSessions() async throws {
        let cluster = try await RedisCluster.start(tag: "{test}")
        let stranger = cluster.others[0]
        let journal = try stranger.server.open(at: RedisAddress(stranger.url))
        let ids = (0..<4).map { "session-\($0)" }
        for id in ids { #expect(await journal.create(Step.session(id)).awaitDurable() == nil) }
        #expect(try cluster.primary.server.execute("EXISTS", "{test}:meta") == ["1"])
        #expect(try Self.verify(at: cluster.replica).sessions == 4)

        let acknowledged = try await Self.underLoad(ids, journal) {
            try await cluster.swapPrimary()
            try await awaitCommits(at: [journal])
            let (source, target) = (cluster.replica, cluster.others[1])
            let session = try await Self.session(journal)
            try cluster.beginMove(from: source, to: target)
            Step.store(session).step()
            // Nothing was executed.
            guard case .unavailable = await session.awaitDurable() else { throw Missing(id: "refusal") }
            try await eventually { !journal.isAvailable }
            try await cluster.endMove(from: source, to: target)
            try await awaitCommits(at: [journal])
            #expect(try await journal.session("quiet").summary.revision == 0)
        }
        await journal.closed()
        #expect(try cluster.others[1].server.execute("EXISTS", "{test}:meta") == ["1"])
        #expect(try Self.verify(at: stranger).problems.isEmpty)
        let again = try stranger.server.open(at: RedisAddress(cluster.primary.url))
        for id in ids {
            let found = try await again.session(id)
            let revision = found.summary.revision
            let newest = try #require(acknowledged[id])
            #expect(revision >= newest && newest > 0)
            let commits = try #require(try await found.journal.commits(after: 0))
            #expect(commits.map(\.revision) == Array(1..<(revision + 1)))
        }
        await again.closed()
    }

    @Test("asks the configured node again if the one that had the sessions is gone, and checks the next one")
    func losesPrimary() async throws {
        let cluster = try await RedisCluster.start(tag: "{test}")
        let stranger = cluster.others[0]
        let events = StorageEvents()
        let journal = try stranger.server.open(at: RedisAddress(stranger.url), report: events.report)
        let session = journal.create(Step.session())
        Step.store(session).step(3)
        #expect(await session.awaitDurable() == nil)
        try await cluster.awaitReplica()
        try cluster.replica.server.execute("CONFIG", "SET", "appendfsync", "everysec")
        try await cluster.losePrimary()
        try await eventually { !journal.isAvailable }
        #expect(throws: StorageError.self) { try stranger.server.open(at: RedisAddress(stranger.url), node: "node:2") }
        #expect(!journal.isAvailable)
        try cluster.replica.server.execute("CONFIG", "SET", "appendfsync", "always")
        try await events.wait { $0 == .recovered }
        try await eventually { journal.isAvailable }
        let next = journal.create(Step.session("next"))
        Step.store(next).step(3)
        #expect(await next.awaitDurable() == nil)
        await journal.closed()
        let error = #expect(throws: StorageError.self) {
            try stranger.server.open(at: RedisAddress("\(stranger.url)/1"))
        }
        #expect(error?.description.contains("database") == true)

        // A node that names itself is asked a bounded number of times.
        try cluster.replica.server.execute("CONFIG", "SET", "cluster-announce-port", "\(stranger.port)")
        try await stranger.wait("EXISTS", "{test}:meta", for: "MOVED \(cluster.slot) 127.0.0.1:\(stranger.port)")
        let refusal = #expect(throws: StorageError.self) { try Self.verify(at: stranger) }
        #expect(refusal?.description.contains("do not agree") == true)
    }

    @Test("asks the other nodes of the cluster if neither the primary nor the configured node is there any more")
    func losesConfiguredNode() async throws {
        let cluster = try await RedisCluster.start(tag: "{test}")
        let stranger = cluster.others[0]
        for node in [cluster.replica, cluster.others[1]] {
            try node.server.execute("CONFIG", "SET", "cluster-require-full-coverage", "no")
        }
        let events = StorageEvents()
        let journal = try stranger.server.open(at: RedisAddress(stranger.url), report: events.report)
        let session = journal.create(Step.session())
        Step.store(session).step(3)
        #expect(await session.awaitDurable() == nil)
        try await cluster.awaitReplica()
        stranger.server.kill()
        cluster.primary.server.kill()
        // Two of three primaries cannot vote.
        try cluster.replica.server.execute("CLUSTER", "FAILOVER", "TAKEOVER")
        try await cluster.replica.wait("INFO", "replication", for: "role:master")
        try await events.wait { $0 == .recovered }
        try await eventually { journal.isAvailable }
        let next = journal.create(Step.session("next"))
        #expect(await next.awaitDurable() == nil)
        #expect(try await journal.session("session").summary.revision == 3)
        await journal.closed()
    }

    /// A session that nobody else commits to.
    private static func session(_ journal: RedisJournal) async throws -> any SessionJournal {
        while true {
            let session = journal.create(Step.session("quiet"))
            if await session.awaitDurable() == nil { return session }
            if let found = try? await journal.session("quiet") { return found.journal }
        }
    }

    private static func verify(at node: RedisCluster.Node) throws -> SQLiteStorage.Verification {
        guard let sealer = RedisServer.sealer else { throw Missing(id: "sealer") }
        let storage = try RedisStorage(
            RedisAddress(node.url), prefix: "test", durability: .full, sealer: sealer, isReader: true,
            timeouts: .long)
        defer { storage.close() }
        return try storage.verify()
    }

    /// Commits to sessions while `body` runs.
    ///
    /// - Returns: the newest acknowledged revision of each.
    private static func underLoad(
        _ ids: [String], _ journal: RedisJournal, _ body: () async throws -> Void
    ) async throws -> [String: Int] {
        let isOver = Locked(false)
        return try await withThrowingTaskGroup(of: (String, Int).self) { group in
            // The writers go on until then, also if this fails.
            defer { isOver.withLock { $0 = true } }
            for id in ids {
                group.addTask {
                    (id, try await RedisJournalTests.commit(to: id, journal) { isOver.withLock(\.self) })
                }
            }
            try await awaitCommits(at: [journal])
            try await body()
            isOver.withLock { $0 = true }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}
