import Foundation
import Journal
import Locks
import RedisJournal
import RedisTesting
import StoreHosting
import Stores
import Testing
import Threads

@Suite("The Redis journal", .timeLimit(.minutes(5)))
struct RedisJournalTests {
    @Test("stores neither an id nor an owner's session under a name that gives the id away")
    func hidesIDs() async throws {
        let server = try RedisServer()
        let journal = try server.open()
        let session = journal.create(Step.session("a-secret-id-0123456789"))
        Step.store(session).step(100)
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        let files = try FileManager.default.subpathsOfDirectory(atPath: server.directory.path)
        for name in files where name.hasSuffix(".aof") {
            let data = try Data(contentsOf: server.directory.appending(path: name))
            #expect(data.range(of: Data("a-secret-id".utf8)) == nil && data.count > 1000)
        }
    }

    @Test("loses nothing acknowledged and repeats nothing, however often Redis is killed under load")
    func kills() async throws {
        let server = try RedisServer()
        let journal = try server.open()
        let ids = (0..<8).map { "session-\($0)" }
        for id in ids { #expect(await journal.create(Step.session(id)).awaitDurable() == nil) }
        let isOver = Locked(false)
        let durable = try await withThrowingTaskGroup(of: (String, Int).self) { group in
            // The writers go on until then, also if this fails.
            defer { isOver.withLock { $0 = true } }
            for id in ids {
                group.addTask { (id, try await Self.commit(to: id, journal) { isOver.withLock(\.self) }) }
            }
            for _ in 0..<5 {
                try await awaitCommits(at: [journal])
                server.kill()
                try server.start()
            }
            isOver.withLock { $0 = true }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        // It gives its sessions back only if it is connected.
        try await eventually { journal.isAvailable }
        await journal.closed()
        let again = try server.open()
        for id in ids {
            let found = try await again.session(id)
            let acknowledged = try #require(durable[id])
            let revision = found.summary.revision
            #expect(revision >= acknowledged && found.replayable.count == revision && acknowledged > 0)
            let commits = try #require(try await found.journal.commits(after: 0))
            #expect(commits.map(\.revision) == Array(1..<(revision + 1)))
        }
        await again.closed()
    }

    /// Commits one action after the other until it is over, and loads the session again after a failure.
    ///
    /// - Returns: the newest revision that was acknowledged.
    static func commit(to id: String, _ journal: RedisJournal, until isOver: () -> Bool) async throws -> Int {
        var acknowledged = 0
        while !isOver() {
            guard let found = try? await journal.session(id) else { continue }
            // A commit whose outcome was unknown may be there.
            #expect((acknowledged...acknowledged + 1).contains(found.summary.revision))
            acknowledged = found.summary.revision
            let store = Step.store(found.journal, from: acknowledged)
            while !isOver() {
                store.step()
                guard await found.journal.awaitDurable() == nil else { break }
                acknowledged += 1
            }
        }
        return acknowledged
    }

    @Test("gives histories other names at all nodes after Redis has lost acknowledged commits, and no others")
    func losses() async throws {
        let server = try RedisServer()
        let events = StorageEvents()
        let nodes = [try server.open(node: "first:1", report: events.report), try server.open(node: "second:1")]
        let session = nodes[0].create(Step.session())
        Step.store(session).step(10)
        #expect(await session.awaitDurable() == nil)
        let idle = nodes[1].create(Step.session("idle"))
        #expect(await idle.awaitDurable() == nil)
        server.kill()
        try server.start()
        let held = try await nodes[0].session("session")
        #expect(held.summary.header.historyID == "h")
        let copy = server.directory.appending(path: "copy")
        let data = server.directory.appending(path: "appendonlydir")
        server.kill()
        try FileManager.default.copyItem(at: data, to: copy)
        try server.start()
        Step.store(held.journal, from: 10).step(5)
        #expect(await held.journal.awaitDurable() == nil)
        let lost = AsyncStream.makeStream(of: Void.self)
        nodes[1].observeOwnership { if $0 == .lost { lost.continuation.yield() } }
        server.kill()
        try FileManager.default.removeItem(at: data)
        try FileManager.default.moveItem(at: copy, to: data)
        try server.start()
        try await events.wait { $0 == .lostCommits }
        #expect(held.journal.hasFailed)
        // What is stored now tells nothing of the commits that are lost.
        let reads: [@Sendable () async throws -> Void] = [
            { _ = try await held.journal.replayBase(for: 15) }, { _ = try await held.journal.replayBase(for: 20) },
            { _ = try await held.journal.commits(after: 9) }, { _ = try await held.journal.oldestRevision() },
        ]
        for read in reads {
            let failure = await #expect(throws: JournalError.self) { try await read() }
            guard case .unavailable = failure else { throw Missing(id: "failure") }
        }
        // The other node has lost nothing of its own, but other sessions than it knows may have been lost.
        for await _ in lost.stream { break }
        #expect(idle.hasFailed)
        for (node, id) in [(nodes[0], "session"), (nodes[1], "idle")] {
            let found = try await node.session(id)
            #expect(found.summary.revision == (id == "idle" ? 0 : 10))
            #expect(found.summary.header.historyID.hasPrefix("h."))
        }
        await nodes[1].create(Step.session("later")).awaitDurable()
        #expect(try await nodes[1].session("later").summary.header.historyID == "h")
        for node in nodes { await node.closed() }
    }

    @Test("keeps an object that is not the newest of its session from writing")
    func fencing() async throws {
        let server = try RedisServer()
        let journal = try server.open()
        let latencies = Locked<[Duration]>([])
        journal.observeLatency { latency in latencies.withLock { $0.append(latency) } }
        let first = journal.create(Step.session())
        let store = Step.store(first)
        store.step(3)
        #expect(await first.awaitDurable() == nil)
        let second = try await journal.session("session").journal
        store.step()
        #expect(await first.awaitDurable() == .conflict && journal.conflictCount == 1)
        Step.store(second, from: 3).step()
        #expect(await second.awaitDurable() == nil)
        #expect(try await journal.session("session").summary.revision == 4)
        // One at least for each of the commands that were awaited.
        #expect(latencies.withLock { $0.count >= 5 && $0.allSatisfy { $0 > .zero } })
        await journal.closed()
    }

    @Test("deletes the oldest commits, by number and by size, but none that a valid record shows")
    func retention() async throws {
        let server = try RedisServer()
        let journal = try server.open(keepCommits: 100)
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(10)
        store.append(
            IdempotencyRecord(key: "k", fingerprint: 1, response: [1], revision: 10, at: Step.moment), to: session)
        store.step(1000)
        #expect(await session.awaitDurable() == nil)
        #expect(try await session.replayBase(for: 10)?.count == 10)
        await journal.closed()
        let later = try server.open(keepCommits: 100, now: { Step.moment + 1_000_000 })
        let found = try await later.session("session")
        Step.store(found.journal, from: 1010).step(300)
        #expect(await found.journal.awaitDurable() == nil)
        Step.store(found.journal, from: 1310).step()
        #expect(await found.journal.awaitDurable() == nil)
        let oldest = try await found.journal.oldestRevision()
        #expect(oldest > 900 && oldest <= 1212)
        #expect(try await found.journal.replayBase(for: oldest - 2) == nil)
        #expect(try await found.journal.replayBase(for: oldest + 20)?.count == oldest + 20)
        #expect(try await later.session("session").replayable.count == 1311)
        await later.closed()
    }

    @Test("forgets expired idempotency records, and reads the others in the order of their times")
    func records() async throws {
        let server = try RedisServer()
        let now = Locked(Step.moment)
        let journal = try server.open(now: { now.withLock(\.self) })
        let session = journal.create(Step.session())
        let store = Step.store(session)
        for round in 0..<400 {
            let moment = now.withLock { now in
                // A record is valid for ten minutes, and stored for a quarter of an hour.
                now += 10_000
                return now
            }
            store.append(
                IdempotencyRecord(
                    key: "k\(round / 2)", fingerprint: 1, response: [UInt8(round % 2)], revision: nil, at: moment),
                to: session)
            #expect(await session.awaitDurable() == nil)
        }
        let key = try #require(try server.execute("KEYS", "{test}:s:*").first)
        let names = try server.execute("HKEYS", key).filter { $0.hasPrefix("a") }
        #expect((90..<170).contains(names.count))
        let answers = try await journal.session("session").answers
        #expect((58..<64).contains(answers.count))
        #expect(answers.map(\.at) == answers.map(\.at).sorted() && answers.last?.key == "k199")
        #expect(answers.suffix(2).map(\.response) == [[0], [1]])
        await journal.closed()
    }

    @Test("fails the commits of a damaged session alone")
    func damagedSession() async throws {
        let server = try RedisServer()
        let events = StorageEvents()
        let journal = try server.open(report: events.report)
        let damaged = journal.create(Step.session("damaged"))
        let store = Step.store(damaged)
        store.step(3)
        #expect(await damaged.awaitDurable() == nil)
        let key = try #require(try server.execute("KEYS", "{test}:s:*").first)
        try server.execute("HDEL", key, "sequence", "cut")
        store.step()
        guard case .corrupt(let detail, _) = await damaged.awaitDurable() else { throw Missing(id: "failure") }
        #expect(detail.contains("compare") && journal.isAvailable)
        try await events.wait { $0 == .damaged(session: "damaged", detail) }
        await #expect(throws: JournalError.self) { try await journal.session("damaged") }
        let sound = journal.create(Step.session("sound"))
        Step.store(sound).step(3)
        #expect(await sound.awaitDurable() == nil && journal.isAvailable)
        await journal.closed()
    }

    @Test("names the owner of a damaged session")
    func damagedSessionOfAnOwner() async throws {
        let server = try RedisServer()
        let journal = try server.open()
        let session = journal.create(Step.session("damaged", owner: "alice"))
        Step.store(session).step(3)
        #expect(await session.awaitDurable() == nil)
        let key = try #require(try server.execute("KEYS", "{test}:s:*").first)
        // The newest commit is missing, then another one cannot be read.
        for damage in [["HDEL", key, "c3"], ["HSET", key, "c2", "damaged"]] {
            try server.execute(damage)
            let error = await #expect(throws: JournalError.self) { try await journal.session("damaged") }
            guard case .corrupt(_, let owner)? = error else { throw Missing(id: "damage") }
            #expect(owner == "alice")
        }
        await journal.closed()
    }
}
