import Dispatch
import Journal
import Locks
import Platform
import RedisJournal
import RedisTesting
import StoreHosting
import Testing
import Threads

@Suite("The Redis journal, while Redis takes no commits,", .timeLimit(.minutes(5)))
struct RedisOutageTests {
    @Test("tells that the outcome of commits is unknown while Redis stands still, and goes on by itself")
    func standstill() async throws {
        let server = try RedisServer()
        let maker = try server.open()
        let session = maker.create(Step.session())
        Step.store(session).step(10)
        #expect(await session.awaitDurable() == nil)
        await maker.closed()
        let events = StorageEvents()
        let journal = try server.open(timeouts: .short, report: events.report)
        while true {
            let found = try await loaded(from: journal)
            server.send(SIGSTOP)
            Step.store(found.journal, from: 10).step(5)
            let failure = await found.journal.awaitDurable()
            let isAvailable = journal.isAvailable
            server.send(SIGCONT)
            // If this process was slower than the timeouts, nothing was sent. Then it tries again.
            guard case .outcomeUnknown = failure else { continue }
            #expect(found.journal.hasFailed && !isAvailable)
            break
        }
        try await events.wait { $0 == .recovered }
        let revision = try await loaded(from: journal).summary.revision
        // Redis has executed those that it had got. Four writes may await their replies, and a heartbeat is one of them at most.
        #expect((13...15).contains(revision))
        try await eventually {
            let found = try await loaded(from: journal)
            Step.store(found.journal, from: found.summary.revision).step(2)
            return await found.journal.awaitDurable() == nil
        }
        try await eventually { journal.isAvailable }
        let newest = try await loaded(from: journal)
        #expect(newest.summary.revision >= revision + 2 && newest.replayable.count == newest.summary.revision)
        await journal.closed()
    }

    @Test("answers a commit before most of the reads that have come before it")
    func manyReads() async throws {
        let server = try RedisServer()
        let maker = try server.open()
        let session = maker.create(Step.session())
        Step.store(session).step(10)
        #expect(await session.awaitDurable() == nil)
        await maker.closed()
        let journal = try server.open()
        let found = try await journal.session("session")
        let store = Step.store(found.journal, from: 10)
        let before = try scriptCalls(on: server)
        server.send(SIGSTOP)
        let executor = InlineExecutor()
        let reads = (0..<100).map { _ in
            Task(executorPreference: executor) { try await found.journal.commits(after: 0)?.count }
        }
        store.step()
        let (isCommitted, goOn) = (Promise<Void>(), DispatchSemaphore(value: 0))
        // The connection's thread sends nothing more while it waits.
        found.journal.onceDurable {
            isCommitted.fulfill(())
            goOn.wait()
        }
        server.send(SIGCONT)
        await isCommitted.value()
        let calls = Result { try scriptCalls(on: server) - before }
        goOn.signal()
        // The reads that were sent before the commit, and the ones that their replies have made room for.
        #expect(try calls.get() < 50)
        for read in reads { #expect(try await read.value ?? 0 >= 10) }
        await journal.closed()
    }

    /// How many scripts Redis has executed.
    private func scriptCalls(on server: RedisServer) throws -> Int {
        let lines = try server.execute("INFO", "commandstats").flatMap { $0.split(whereSeparator: \.isNewline) }
        let line = try #require(lines.first { $0.hasPrefix("cmdstat_evalsha:calls=") })
        return try #require(Int(line.dropFirst("cmdstat_evalsha:calls=".count).prefix { $0 != "," }))
    }

    /// Loads the session, again if Redis does not answer soon enough.
    private func loaded(from journal: RedisJournal) async throws -> Found {
        var found: Found?
        try await eventually {
            found = try? await journal.session("session")
            return found != nil
        }
        return try #require(found)
    }

    @Test("tells of the commits whose replies have come before bytes that are no reply")
    func brokenReplies() async throws {
        let events = StorageEvents()
        let relay = try RedisRelay()
        defer { relay.stop() }
        let journal = try relay.server.open(at: relay.address, report: events.report)
        let session = journal.create(Step.session())
        let store = Step.store(session)
        #expect(await session.awaitDurable() == nil)
        for _ in 0..<3 {
            relay.spoilNext()
            store.step()
            #expect(await session.awaitDurable() == nil)
            try await events.wait { $0 == .recovered }
        }
        #expect(try await journal.session("session").replayable.count == 3)
        await journal.closed()
    }

    @Test("goes on after the server has forgotten its scripts")
    func forgottenScripts() async throws {
        let server = try RedisServer()
        let journal = try server.open()
        let session = journal.create(Step.session())
        let store = Step.store(session)
        for count in 1...3 {
            try server.execute("SCRIPT", "FLUSH")
            store.step(count)
            #expect(await session.awaitDurable() == nil)
        }
        #expect(try await journal.session("session").replayable.count == 6)
        await journal.closed()
    }

    @Test("refuses commits while the memory of Redis is full, and reads and ends sessions")
    func fullMemory() async throws {
        let server = try RedisServer()
        let events = StorageEvents()
        let journal = try server.open(report: events.report)
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(3)
        #expect(await session.awaitDurable() == nil)
        try server.execute("CONFIG", "SET", "maxmemory", "1")
        store.step()
        guard case .unavailable = await session.awaitDurable() else { throw Missing(id: "failure") }
        #expect(!journal.isAvailable)
        let found = try await journal.session("session")
        #expect(found.replayable.count == 3)
        try server.execute("CONFIG", "SET", "maxmemory", "0")
        try await events.wait { $0 == .recovered }
        Step.store(found.journal, from: 3).step()
        #expect(await found.journal.awaitDurable() == nil && journal.isAvailable)
        await journal.closed()
    }

    @Test(
        "takes a missing permission for no damage and no missing session, and is available again with it",
        arguments: ["-@write", "-hset", "-hmget", "-hincrby", "-evalsha"])
    func missingPermissions(rule: String) async throws {
        let server = try RedisServer()
        let maker = try server.open()
        let other = maker.create(Step.session("other"))
        Step.store(other).step(2)
        #expect(await other.awaitDurable() == nil)
        await maker.closed()
        let events = StorageEvents()
        let journal = try server.open(report: events.report)
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(3)
        #expect(await session.awaitDurable() == nil)
        try server.execute("ACL", "SETUSER", "default", rule)
        store.step()
        switch await session.awaitDurable() {
        case .unavailable, .outcomeUnknown: break
        case let failure: Issue.record("\(failure.debugDescription)")
        }
        try await events.wait { event in
            if case .disconnected(let detail) = event { detail.contains("ACL SETUSER") } else { false }
        }
        #expect(!journal.isAvailable)
        if rule != "-hincrby" {
            do throws(JournalError) {
                _ = try await journal.load("other")
                Issue.record("Redis refuses the script")
            } catch {
                guard case .unavailable = error else { throw Missing(id: "\(error)") }
            }
        }
        // No heartbeat takes it for available.
        let beats = {
            try server.execute("INFO", "commandstats").joined().split(whereSeparator: \.isNewline)
                .first { $0.hasPrefix("cmdstat_config|get:") }
        }
        for _ in 0..<3 {
            let last = try beats()
            try await eventually {
                #expect(!journal.isAvailable)
                return try beats() != last
            }
        }
        try server.execute("ACL", "SETUSER", "default", "+@all")
        try await events.wait { $0 == .recovered }
        #expect(journal.isAvailable)
        let found = try await journal.session("other")
        #expect(found.replayable.count == 2)
        await journal.closed()
    }

    @Test(
        "says that nothing was committed if Redis has refused it until the deadline",
        arguments: [
            [["REPLICAOF", "127.0.0.1", "1"]],
            [["REPLICAOF", "127.0.0.1", "1"], ["CONFIG", "SET", "replica-serve-stale-data", "no"]],
            [["CONFIG", "SET", "min-replicas-to-write", "1"]],
        ])
    func definiteRefusals(commands: [[String]]) async throws {
        let server = try RedisServer()
        let maker = try server.open()
        let session = maker.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        await maker.closed()
        let journal = try server.open(timeouts: .short)
        let found = try await loaded(from: journal)
        for command in commands { try server.execute(command) }
        Step.store(found.journal).step()
        guard case .unavailable = await found.journal.awaitDurable() else { throw Missing(id: "failure") }
        await journal.closed()
    }

    /// Lets a server listen on a port. One that is in use is refused.
    private static func openPort(of server: RedisServer) throws -> String {
        while true {
            let port = "\(Int.random(in: 20_000..<32_000))"
            if try server.execute("CONFIG", "SET", "port", port) == ["OK"] { return port }
        }
    }

    @Test("acknowledges only what a replica has, and is unavailable until there is one")
    func replicas() async throws {
        let server = try RedisServer()
        let events = StorageEvents()
        let seen = Locked<[StorageEvent]>([])
        // A commit that no replica has fails after this time. Nothing else in this test may take so long.
        let timeouts = RedisTimeouts(reply: .seconds(10), readTimeout: .seconds(120), exchange: .seconds(120))
        let journal = try server.open(
            replicas: 1, waitTimeout: .zero, timeouts: timeouts,
            report: { event in
                seen.withLock { $0.append(event) }
                events.report(event)
            })
        let isMissing = StorageEvent.disconnected("unix://\(server.socket): 0 of 1 replicas have the newest commits")
        try await events.wait { $0 == isMissing }
        let session = journal.create(Step.session())
        guard case .unavailable = await session.awaitDurable() else { throw Missing(id: "failure") }
        #expect(!journal.isAvailable)
        let replica = try RedisServer(["--appendonly", "yes", "--appendfsync", "always", "--port", "0"])
        // A replica reaches its primary over TCP.
        let port = try Self.openPort(of: server)
        try replica.execute("REPLICAOF", "127.0.0.1", port)
        try await events.wait { $0 == .recovered }
        try await eventually { journal.isAvailable }
        #expect(try await journal.found("session").word == "unknown")
        let again = journal.create(Step.session())
        Step.store(again).step(3)
        #expect(await again.awaitDurable() == nil)
        #expect(try replica.execute("ZCARD", "{test}:ids") == ["1"])
        #expect(Array(seen.withLock(\.self).prefix(2)) == [isMissing, .recovered])
        await journal.closed()
    }
}

/// Runs the parts of a task wherever they become ready. So a task has come to its first wait when it is made.
private final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}
