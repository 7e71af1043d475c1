import Dispatch
import Journal
import Platform
import RedisJournal
import RedisTesting
import Sockets
import StoreHosting
import Testing

@Suite("An event loop that is busy, with commits on its lane to Redis", .timeLimit(.minutes(5)))
struct RedisBusyLoopTests {
    @Test("delays no session but those whose commits it has")
    func otherSessions() async throws {
        let laned = try await Laned()
        let session = laned.journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        let store = Step.store(session)
        let gate = await laned.loops[0].keepBusy { store.step() }
        store.step()
        let other = laned.journal.create(Step.session("other"))
        #expect(await other.awaitDurable() == nil)
        let otherStore = Step.store(other)
        await laned.loops[1].run { otherStore.step() }
        #expect(await other.awaitDurable() == nil)
        other.end(at: Step.moment)
        #expect(await other.awaitDurable() == nil)
        #expect(!session.isDurable(through: 1))
        gate.signal()
        #expect(await session.awaitDurable() == nil)
        #expect(try await laned.journal.session("session").replayable.count == 2)
        #expect(laned.journal.conflictCount == 0)
        await laned.end()
    }

    @Test("delays no other connection, and its commits become durable by that one")
    func lostConnection() async throws {
        let laned = try await Laned()
        let (unsent, sent) = (laned.journal.create(Step.session("unsent")), laned.journal.create(Step.session("sent")))
        for session in [unsent, sent] { #expect(await session.awaitDurable() == nil) }
        let (unsentStore, sentStore) = (Step.store(unsent), Step.store(sent))
        laned.server.send(SIGSTOP)
        await laned.loops[0].run { sentStore.step() }
        let gate = await laned.loops[0].keepBusy { unsentStore.step() }
        sentStore.step()
        laned.server.send(SIGCONT)
        laned.server.kill()
        try laned.server.start()
        for session in [unsent, sent] { #expect(await session.awaitDurable() == nil) }
        gate.signal()
        try await laned.areOpen()
        #expect(try await laned.journal.session("unsent").replayable.count == 1)
        #expect(try await laned.journal.session("sent").replayable.count == 2)
        await laned.end()
    }

    @Test("does not keep them beyond their deadlines")
    func deadlines() async throws {
        let laned = try await Laned(timeouts: .short)
        var ids = (1...).lazy.map { "session-\($0)" }.makeIterator()
        // If this process is slower than the timeouts, it tries again.
        while let id = ids.next() {
            let session = laned.journal.create(Step.session(id))
            guard await session.awaitDurable() == nil else { continue }
            try await laned.areOpen()
            let store = Step.store(session)
            let gate = await laned.loops[0].keepBusy { store.step() }
            guard case .unavailable? = await session.awaitDurable() else {
                gate.signal()
                continue
            }
            let loaded = try? await laned.journal.session(id)
            gate.signal()
            guard let loaded else { continue }
            #expect(loaded.summary.revision == 0)
            break
        }
        try await eventually { laned.journal.isAvailable }
        await laned.end()
    }
}
