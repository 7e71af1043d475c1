import Journal
import Locks
import Platform
import RedisJournal
import RedisTesting
import Sockets
import StoreHosting
import Testing
import Threads

@Suite("A lane of the Redis journal", .timeLimit(.minutes(5)))
struct RedisLaneTests {
    @Test("acknowledges the commits of its event loop on that loop")
    func acknowledgesOnLoop() async throws {
        let laned = try await Laned()
        let server = laned.server
        let connections = try server.execute("CLIENT", "LIST").count { $0.contains("cmd=") }
        // The journal's, one for each loop, and that of the question.
        #expect(connections == 2 + laned.loops.count)
        for (index, loop) in laned.loops.enumerated() {
            let session = laned.journal.create(Step.session("session-\(index)"))
            #expect(await session.awaitDurable() == nil)
            // The thread tells of the creation, and may tell of the next commit too if that is durable meanwhile.
            try await eventually { session.isDurable(through: 0) }
            let store = Step.store(session)
            for _ in 0..<10 {
                let isOnLoop = await Promise.value { done in
                    loop.execute {
                        store.step()
                        session.onceDurable { done(loop.isCurrent) }
                    }
                }
                #expect(isOnLoop)
            }
            #expect(try await laned.journal.session("session-\(index)").replayable.count == 10)
        }
        await laned.end()
    }

    @Test("keeps the order of the commits of a session that come on several loops and on none")
    func order() async throws {
        let laned = try await Laned()
        let session = laned.journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        let store = Step.store(session)
        for round in 1...20 {
            // Nothing is answered meanwhile.
            laned.server.send(SIGSTOP)
            for loop in laned.loops { await loop.run { store.step() } }
            store.step()
            await laned.loops[0].run { store.step() }
            if round.isMultiple(of: 2) { session.index([]) }
            laned.server.send(SIGCONT)
            await laned.loops[1].run { store.step() }
            #expect(await session.awaitDurable() == nil)
        }
        #expect(laned.journal.conflictCount == 0)
        #expect(try await laned.journal.session("session").replayable.count == 20 * (laned.loops.count + 3))
        await laned.end()
    }

    @Test("is overtaken neither by the end of its session nor by one who looks for it")
    func lookups() async throws {
        let laned = try await Laned()
        for index in 0..<20 {
            let id = "session-\(index)"
            let session = laned.journal.create(Step.session(id))
            #expect(await session.awaitDurable() == nil)
            let store = Step.store(session)
            laned.server.send(SIGSTOP)
            await laned.loops[0].run { store.step() }
            let isEnded = index.isMultiple(of: 2)
            if isEnded { session.end(at: Step.moment) }
            let lookup = Task { try await laned.journal.found(id) }
            laned.server.send(SIGCONT)
            #expect(await session.awaitDurable() == nil)
            switch try await lookup.value {
            case .ended: #expect(isEnded)
            case .session(let summary, _, _, _): #expect(!isEnded && summary.revision == 1)
            case let other: Issue.record("\(other.word)")
            }
        }
        #expect(laned.journal.conflictCount == 0)
        await laned.end()
    }

    @Test("loses nothing acknowledged and repeats nothing, however often Redis is killed under load")
    func kills() async throws {
        let laned = try await Laned()
        let journal = laned.journal
        let ids = (0..<8).map { "session-\($0)" }
        for id in ids { #expect(await journal.create(Step.session(id)).awaitDurable() == nil) }
        let isOver = Locked(false)
        let durable = try await withThrowingTaskGroup(of: (String, Int).self) { group in
            // The writers go on until then, also if this fails.
            defer { isOver.withLock { $0 = true } }
            for id in ids {
                group.addTask { (id, try await laned.commit(to: id) { isOver.withLock(\.self) }) }
            }
            for _ in 0..<5 {
                try await awaitCommits(at: [journal])
                laned.server.kill()
                try laned.server.start()
                try await eventually { journal.laneCount == laned.loops.count }
            }
            isOver.withLock { $0 = true }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for id in ids {
            var found: Found?
            try await eventually {
                found = try? await journal.session(id)
                return found != nil
            }
            let session = try #require(found)
            let (acknowledged, revision) = (try #require(durable[id]), session.summary.revision)
            #expect(revision >= acknowledged && session.replayable.count == revision && acknowledged > 0)
            let commits = try #require(try await session.journal.commits(after: 0))
            #expect(commits.map(\.revision) == Array(1..<(revision + 1)))
        }
        await laned.end()
    }

    @Test("gives its commits back when its connection is lost, and they are sent again")
    func lostConnection() async throws {
        let laned = try await Laned()
        let session = laned.journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        let store = Step.store(session)
        for _ in 0..<5 {
            laned.server.send(SIGSTOP)
            for loop in laned.loops { await loop.run { store.step() } }
            let isKilled = Task.detached {
                try laned.server.execute("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            }
            laned.server.send(SIGCONT)
            #expect(await session.awaitDurable() == nil)
            _ = try await isKilled.value
            await laned.loops[0].run { store.step() }
            #expect(await session.awaitDurable() == nil)
            try await laned.areOpen()
        }
        #expect(try await laned.journal.session("session").replayable.count == 5 * (laned.loops.count + 1))
        await laned.end()
    }

    @Test("tells of the commits whose replies have come before bytes that are no reply")
    func brokenReplies() async throws {
        let relay = try RedisRelay()
        defer { relay.stop() }
        let laned = try await Laned(relay.server, at: relay.address)
        let session = laned.journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        let store = Step.store(session)
        for _ in 0..<3 {
            relay.spoilNext()
            await laned.loops[0].run { store.step() }
            #expect(await session.awaitDurable() == nil)
            try await laned.areOpen()
        }
        #expect(try await laned.journal.session("session").replayable.count == 3)
        await laned.end()
    }

    @Test("goes on after the server has forgotten its scripts")
    func forgottenScripts() async throws {
        let laned = try await Laned()
        let session = laned.journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        let store = Step.store(session)
        for count in 1...3 {
            try await laned.areOpen()
            try laned.server.execute("SCRIPT", "FLUSH")
            await laned.loops[0].run { store.step(count) }
            #expect(await session.awaitDurable() == nil)
        }
        #expect(try await laned.journal.session("session").replayable.count == 6)
        await laned.end()
    }

    @Test("refuses commits while the memory of Redis is full, and takes them again afterwards")
    func fullMemory() async throws {
        let events = StorageEvents()
        let laned = try await Laned(report: events.report)
        let session = laned.journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        let store = Step.store(session)
        try laned.server.execute("CONFIG", "SET", "maxmemory", "1")
        await laned.loops[0].run { store.step() }
        guard case .unavailable = await session.awaitDurable() else { throw Missing(id: "failure") }
        try await eventually { !laned.journal.isAvailable }
        try laned.server.execute("CONFIG", "SET", "maxmemory", "0")
        try await events.wait { $0 == .recovered }
        let found = try await laned.journal.session("session")
        let again = Step.store(found.journal, from: found.summary.revision)
        await laned.loops[0].run { again.step() }
        #expect(await found.journal.awaitDurable() == nil && laned.journal.isAvailable)
        await laned.end()
    }

    @Test("tells that the outcome of commits is unknown while Redis stands still")
    func standstill() async throws {
        let laned = try await Laned(timeouts: .short)
        let journal = laned.journal
        while true {
            var found: Found?
            try await eventually {
                if case .unknown? = try? await journal.found("session") {
                    _ = await journal.create(Step.session()).awaitDurable()
                }
                found = try? await journal.session("session")
                return found != nil && journal.laneCount == laned.loops.count
            }
            let session = try #require(found)
            let store = Step.store(session.journal, from: session.summary.revision)
            laned.server.send(SIGSTOP)
            await laned.loops[0].run { store.step(5) }
            let failure = await session.journal.awaitDurable()
            laned.server.send(SIGCONT)
            // If this process was slower than the timeouts, nothing was sent. Then it tries again.
            guard case .outcomeUnknown = failure else { continue }
            #expect(session.journal.hasFailed)
            break
        }
        try await eventually { journal.isAvailable }
        await laned.end()
    }

    @Test("completes what it has taken before the journal is closed")
    func closing() async throws {
        let laned = try await Laned()
        let session = laned.journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        let store = Step.store(session)
        laned.server.send(SIGSTOP)
        await laned.loops[0].run { store.step() }
        let closing = Task { await laned.journal.closed() }
        laned.server.send(SIGCONT)
        #expect(await session.awaitDurable() == nil)
        await closing.value
        #expect(laned.journal.laneCount == 0)
        await laned.group.stop()
        let again = try laned.server.open()
        #expect(try await again.session("session").replayable.count == 1)
        await again.closed()
    }

    @Test("gives its commits back when its event loop ends")
    func stoppedLoops() async throws {
        let laned = try await Laned()
        let session = laned.journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        let store = Step.store(session)
        laned.server.send(SIGSTOP)
        await laned.loops[0].run { store.step() }
        await laned.group.stop()
        store.step()
        laned.server.send(SIGCONT)
        #expect(await session.awaitDurable() == nil)
        #expect(laned.journal.laneCount == 0)
        #expect(try await laned.journal.session("session").replayable.count == 2)
        await laned.journal.closed()
    }
}
