import CFaultyDisk
import Foundation
import JSON
import Journal
import Locks
import StoreHosting
import Stores
import Testing

@Suite("Large commands of the SQLite journal")
struct LargeWriteTests {
    /// A fork, whose initial state is large.
    private static func fork(_ id: String) -> SessionHeader {
        let list = Array(repeating: JSONValue.integer(1), count: 100_000)
        return SessionHeader(
            id: id, kind: "steps", schema: 1, createdAt: Step.moment, forkedFrom: 1, historyID: "h",
            initial: StateSnapshot(json: (["count": 0, "list": .array(list)] as JSONValue).encoded()))
    }

    @Test("are overtaken by small ones that come while they wait, and keep the order of their sessions")
    func smallCommandsOvertakeLargeOnes() async throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        let journal = try file.open(vfs: disk.name)
        let small = journal.create(Step.session("small"))
        #expect(await small.awaitDurable() == nil)
        let order = Locked<[String]>([])
        var sessions: [any SessionJournal] = []
        disk.holding {
            // The writer waits for the disk with the first of them. The others come meanwhile.
            Step.store(small).step()
            for number in 0..<4 {
                let id = "fork-\(number)"
                let session = journal.create(Self.fork(id))
                session.onceDurable { order.withLock { $0.append(id) } }
                Step.store(session).step(3)
                sessions.append(session)
            }
            Step.store(small, from: 1).step()
            small.onceDurable(through: 2) { order.withLock { $0.append("small") } }
        }
        for session in sessions { #expect(await session.awaitDurable() == nil) }
        #expect(await small.awaitDurable() == nil)
        let found = order.withLock { $0 }
        #expect(found.filter { $0 != "small" } == (0..<4).map { "fork-\($0)" })
        #expect(try #require(found.firstIndex(of: "small")) <= 2)
        for number in 0..<4 {
            #expect(try await journal.session("fork-\(number)").summary.revision == 3)
        }
        await journal.closed()
        let verified = try SQLiteStorage.verify(file.path)
        #expect(verified.sessions == 5 && verified.commits == 14)
    }

    @Test("are found by whoever loads their session, and are written before the journal closes")
    func largeCommandsAreNotLost() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        for number in 0..<5 {
            Step.store(journal.create(Step.session("small-\(number)"))).step()
            Step.store(journal.create(Self.fork("fork-\(number)"))).step()
        }
        #expect(try await journal.session("fork-4").summary.revision == 1)
        for number in 5..<10 { Step.store(journal.create(Self.fork("fork-\(number)"))).step() }
        await journal.closed()
        let again = try file.open()
        for number in 0..<10 { #expect(try await again.session("fork-\(number)").summary.revision == 1) }
    }

    @Test("do not let a personal session be created before the one is ended that it follows")
    func personalSessionsKeepTheirOrder() async throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        let journal = try file.open(vfs: disk.name)
        let small = journal.create(Step.session("small"))
        #expect(await small.awaitDurable() == nil)
        let first = Self.fork("first")
        let header = SessionHeader(
            id: first.id, kind: first.kind, schema: 1, createdAt: Step.moment, forkedFrom: nil, historyID: "h",
            initial: first.initial, owner: "me", isPersonal: true)
        var (old, new): ((any SessionJournal)?, (any SessionJournal)?)
        disk.holding {
            Step.store(small).step()
            old = journal.create(header)
            old?.end(at: Step.moment)
            new = journal.create(Step.session("second", owner: "me", isPersonal: true))
        }
        #expect(await old?.awaitDurable() == nil)
        #expect(await new?.awaitDurable() == nil)
        #expect(try await journal.personalSession(of: "me", kind: "steps") == "second")
    }

    @Test("are written at once as long as there is nothing else to write")
    func thePauseIsForOthers() {
        var pace = LargeWritePace()
        let start = ContinuousClock.now
        pace.recordLarge(.milliseconds(10), at: start)
        #expect(pace.allows(start))
        pace.recordOthers(at: start)
        pace.recordLarge(.milliseconds(10), at: start)
        #expect(!pace.allows(start) && !pace.allows(start + .milliseconds(29)))
        #expect(pace.allows(start + .milliseconds(30)))
        // A disk that stands still must not make the pause long.
        pace.recordLarge(.seconds(60), at: start)
        #expect(!pace.allows(start + .milliseconds(99)) && pace.allows(start + .milliseconds(100)))
    }
}
