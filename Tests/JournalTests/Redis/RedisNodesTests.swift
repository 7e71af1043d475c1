import Foundation
import Journal
import Locks
import RedisJournal
import RedisTesting
import StoreHosting
import Stores
import Testing
import Threads

@Suite("Nodes on one Redis", .timeLimit(.minutes(5)))
struct RedisNodesTests {
    /// Ends the lease of a node, which does not know it.
    private func forget(_ address: String, on server: RedisServer, hasGivenBack: Bool = true) throws {
        let entries = try server.execute("HGETALL", "{test}:nodes")
        for index in stride(from: 0, to: entries.count - 1, by: 2) where entries[index + 1].hasSuffix(" " + address) {
            if hasGivenBack {
                try server.execute("HDEL", "{test}:nodes", entries[index])
            } else {
                let now = Int(Date().timeIntervalSince1970 * 1000)
                try server.execute("HSET", "{test}:nodes", entries[index], "\(now) \(address)")
            }
        }
    }

    /// The events of ownership that a node gets, the newest last.
    private final class Told: Sendable {
        // Guards the events.
        private let all = Locked<[OwnershipEvent]>([])

        init(_ journal: RedisJournal) {
            journal.observeOwnership { [all] event in all.withLock { $0.append(event) } }
        }

        var losses: Int { all.withLock { $0.count { $0 == .lost } } }

        var nodes: Set<String>? {
            all.withLock { events in
                for case .nodes(let nodes) in events.reversed() { return nodes }
                return nil
            }
        }
    }

    @Test("learn which nodes are alive")
    func nodes() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "first:1")
        let told = Told(first)
        try await eventually { told.nodes == ["first:1"] }
        let second = try server.open(node: "second:1")
        try await eventually { told.nodes == ["first:1", "second:1"] && first.nodeCount == 2 }
        // A late observer gets the nodes at once.
        let late = Told(second)
        try await eventually { late.nodes == ["first:1", "second:1"] }
        await second.closed()
        try await eventually { told.nodes == ["first:1"] }
        #expect(told.losses == 0)
        await first.closed()
    }

    @Test("learn once that their sessions are lost, and count takeovers")
    func losses() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "first:1")
        let told = Told(first)
        for (round, id) in ["a", "b"].enumerated() {
            #expect(await first.create(Step.session(id)).awaitDurable() == nil)
            try forget("first:1", on: server, hasGivenBack: round == 0)
            try await eventually { told.losses == round + 1 }
            // It has begun another incarnation.
            try await eventually { first.isAvailable && told.nodes == ["first:1"] }
        }
        let second = try server.open(node: "second:1")
        for id in ["a", "b"] { #expect(try await second.session(id).summary.revision == 0) }
        #expect(second.takeoverCount == 1 && first.takeoverCount == 0 && told.losses == 2)
        await first.closed()
        #expect(told.losses == 2)
        await second.closed()
    }

    @Test("names the owner of a session, which another node claims as soon as the owner has left")
    func leaving() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "first:1", lease: .seconds(60))
        let second = try server.open(node: "second:1", lease: .seconds(60))
        #expect(first.isAvailable && first.isShared)
        let session = first.create(Step.session())
        let store = Step.store(session)
        store.step(3)
        #expect(await session.awaitDurable() == nil)
        #expect(try await second.found("session").word == "first:1")
        #expect(try await second.found("other").word == "unknown")
        await first.closed()
        let found = try await second.session("session")
        #expect(found.summary.revision == 3)
        Step.store(found.journal, from: 3).step(2)
        #expect(await found.journal.awaitDurable() == nil)
        #expect(try await second.session("session").replayable.count == 5)
        await second.closed()
    }

    @Test("give single sessions back, with all commits")
    func release() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "first:1", lease: .seconds(60))
        let second = try server.open(node: "second:1", lease: .seconds(60))
        let (session, other) = (first.create(Step.session()), first.create(Step.session("other")))
        let store = Step.store(session)
        // Nothing is durable before Redis continues.
        server.send(SIGSTOP)
        store.step(3)
        #expect(await session.awaitRelease() != nil)
        server.send(SIGCONT)
        #expect(await session.awaitDurable() == nil && !session.hasFailed)
        session.appendCommit(4, nextDeadline: 5)
        #expect(await session.awaitDurable() == nil)
        #expect(await session.awaitRelease() == nil)
        #expect(session.hasFailed && !session.isDurable)
        #expect(await session.awaitRelease() != nil)
        store.step()
        #expect(await session.awaitDurable() != nil)
        // The first node that loads the session owns it. Every node finds its due timer.
        for node in [first, second] { #expect(try await node.dueSessions(until: 10).map(\.id) == ["session"]) }
        let found = try await second.session("session")
        #expect(found.summary.revision == 4)
        #expect(try await first.found("session").word == "second:1")
        Step.store(found.journal, from: 4).step()
        #expect(await found.journal.awaitDurable() == nil)
        #expect(try await second.found("other").word == "first:1")
        #expect(await other.awaitDurable() == nil)
        #expect(await found.journal.awaitRelease() == nil)
        let again = try await first.session("session")
        #expect(again.summary.revision == 5)
        #expect(first.takeoverCount + second.takeoverCount == 0)
        await first.closed()
        await second.closed()
    }

    @Test("keep a session if Redis does not answer, and load it again")
    func failedRelease() async throws {
        let server = try RedisServer()
        let maker = try server.open(node: "first:1")
        #expect(await maker.create(Step.session()).awaitDurable() == nil)
        await maker.closed()
        let first = try server.open(node: "first:1", timeouts: .short)
        let session = try await loaded(from: first)
        server.send(SIGSTOP)
        #expect(await session.awaitRelease() != nil)
        server.send(SIGCONT)
        try await eventually { try await commits(to: first) }
        await first.closed()
    }

    @Test(
        "lets a node whose lease has ended commit nothing, and show nothing, of a session that another one has claimed")
    func staleOwner() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "first:1", lease: .seconds(60))
        let second = try server.open(node: "second:1", lease: .seconds(60))
        let session = first.create(Step.session())
        let store = Step.store(session)
        store.step(3)
        #expect(await session.awaitDurable() == nil)
        let idle = first.create(Step.session("idle"))
        #expect(await idle.awaitDurable() == nil && !idle.hasFailed)
        try forget("first:1", on: server)
        let found = try await second.session("session")
        store.step()
        #expect(await session.awaitDurable() != nil)
        #expect(session.hasFailed && !session.isDurable)
        for revision in [0, 4] { #expect(await session.awaitDurable(through: revision) != nil) }
        // That nothing was committed would be wrong.
        switch await session.awaitDurable(through: 3) {
        case nil, .outcomeUnknown: break
        case let failure: Issue.record("\(String(describing: failure))")
        }
        Step.store(found.journal, from: 3).step()
        #expect(await found.journal.awaitDurable() == nil)
        // The first node begins another incarnation.
        try await eventually { await (try? first.found("session"))?.word == "second:1" }
        #expect(idle.hasFailed && !idle.isDurable)
        let next = first.create(Step.session("next"))
        #expect(await next.awaitDurable() == nil)
        #expect(try await second.found("next").word == "first:1")
        #expect(try await second.session("session").replayable.count == 4)
        await first.closed()
        await second.closed()
    }

    @Test("stops answering before the lease ends, and goes on when Redis does")
    func standstill() async throws {
        let server = try RedisServer()
        let maker = try server.open(node: "first:1", lease: .seconds(60))
        #expect(await maker.create(Step.session()).awaitDurable() == nil)
        await maker.closed()
        let journal = try server.open(node: "first:1", lease: .seconds(1), timeouts: .short)
        let session = try await loaded(from: journal)
        let told = Told(journal)
        server.send(SIGSTOP)
        // Without an answer of Redis, and not before the lease has ended.
        try await eventually { told.losses > 0 }
        #expect(!session.isDurable)
        try await eventually { await session.awaitDurable() != nil }
        #expect(session.hasFailed)
        await #expect(throws: JournalError.self) { try await journal.session("session") }
        server.send(SIGCONT)
        try await eventually { try await commits(to: journal) }
        await journal.closed()
    }

    /// Loads the session and commits to it, and says whether Redis has answered.
    private func commits(to journal: RedisJournal) async throws -> Bool {
        guard let found = try? await journal.session("session") else { return false }
        Step.store(found.journal, from: found.summary.revision).step()
        return await found.journal.awaitDurable() == nil
    }

    /// Loads the session while the lease holds, which may be short.
    private func loaded(from journal: RedisJournal) async throws -> any SessionJournal {
        var loaded: (any SessionJournal)?
        try await eventually {
            loaded = try? await journal.session("session").journal
            return loaded?.isDurable == true
        }
        return try #require(loaded)
    }

    @Test("lose nothing acknowledged, and leave no hole, while Redis is killed and leases are lost")
    func faults() async throws {
        let server = try RedisServer()
        let nodes = try ["first:1", "second:1"].map { try server.open(node: $0, lease: .seconds(5)) }
        let ids = (0..<6).map { "session-\($0)" }
        for id in ids { #expect(await nodes[0].create(Step.session(id)).awaitDurable() == nil) }
        let isOver = Locked(false)
        let acknowledged = try await withThrowingTaskGroup(of: (String, Int).self) { group in
            // The writers end when this closure ends, also if it throws.
            defer { isOver.withLock { $0 = true } }
            for id in ids {
                group.addTask { (id, await Self.commit(to: id, nodes) { isOver.withLock(\.self) }) }
            }
            for round in 0..<4 {
                try await awaitCommits(at: nodes)
                try forget(round.isMultiple(of: 2) ? "first:1" : "second:1", on: server)
                try await awaitCommits(at: nodes)
                server.kill()
                try server.start()
            }
            isOver.withLock { $0 = true }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for node in nodes {
            // It gives its sessions back only if it is connected.
            try await eventually { node.isAvailable }
            await node.closed()
        }
        let later = try server.open(node: "third:1")
        for id in ids {
            let found = try await later.session(id)
            let commits = try #require(try await found.journal.commits(after: 0))
            #expect(commits.map(\.revision) == Array(1..<(found.summary.revision + 1)))
            let count = try #require(acknowledged[id])
            #expect(found.summary.revision >= count && found.replayable.count == found.summary.revision && count > 0)
        }
        await later.closed()
        #expect(try server.problems() == [])
    }

    /// Commits one action after the other until it is over, at one node or the other.
    ///
    /// - Returns: the newest revision that was acknowledged.
    private static func commit(to id: String, _ nodes: [RedisJournal], until isOver: () -> Bool) async -> Int {
        var (acknowledged, turn) = (0, 0)
        while !isOver() || acknowledged == 0 {
            turn += 1
            guard let found = try? await nodes[turn % 2].session(id) else { continue }
            #expect(found.summary.revision >= acknowledged)
            var revision = found.summary.revision
            let store = Step.store(found.journal, from: revision)
            while !isOver() {
                store.step()
                revision += 1
                guard await found.journal.awaitDurable() == nil else { break }
                acknowledged = revision
            }
        }
        return acknowledged
    }

    @Test("stop if another node that is alive has their address, and leave their sessions to others")
    func sameAddress() async throws {
        let server = try RedisServer()
        let first = try server.open(node: "same:1")
        let told = Told(first)
        var (round, events) = (0, StorageEvents())
        var second = try server.open(node: "same:1", report: events.report)
        // If it notices the other one before it has a session, another one tries.
        while await second.create(Step.session("\(round)")).awaitDurable() != nil {
            (round, events) = (round + 1, StorageEvents())
            second = try server.open(node: "same:1", report: events.report)
        }
        try await events.wait { $0 == .addressTaken("same:1") }
        #expect(!second.isAvailable)
        #expect(first.isAvailable && told.losses == 0)
        #expect(try await first.session("\(round)").summary.revision == 0)
        try await eventually { told.nodes == ["same:1"] && first.nodeCount == 1 }
        // It is not a node any more, also after it has connected again.
        try server.execute("CLIENT", "KILL", "TYPE", "normal")
        try await eventually { first.isAvailable }
        #expect(!second.isAvailable && told.losses == 0)
        await first.closed()
        await second.closed()
    }

    @Test("start at once while the lease of their earlier process lasts")
    func quickRestart() async throws {
        let server = try RedisServer()
        let lease = { (end: Int) in _ = try server.execute("HSET", "{test}:nodes", "4711", "\(end) same:1") }
        try lease(1 << 50)
        let events = StorageEvents()
        let node = try server.open(node: "same:1", report: events.report)
        #expect(node.isAvailable)
        // A renewal that the earlier process has sent before its end arrives late.
        try lease(1 << 51)
        var ends: Set<String> = []
        try await eventually {
            ends.formUnion(try self.ends(of: "same:1", on: server))
            return ends.count > 6
        }
        #expect(node.isAvailable)
        #expect(await node.create(Step.session()).awaitDurable() == nil)
        await node.closed()
    }

    /// When the leases of an address end.
    private func ends(of address: String, on server: RedisServer) throws -> Set<String> {
        Set(try server.execute("HGETALL", "{test}:nodes").filter { $0.hasSuffix(" " + address) })
    }
}
