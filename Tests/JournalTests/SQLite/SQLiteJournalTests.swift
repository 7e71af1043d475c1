import JSON
import Journal
import StoreHosting
import Stores
import Testing

@Suite("The SQLite journal")
struct SQLiteJournalTests {
    @Test(
        "finds sessions as they were left, in a file that was closed and in one that was not", arguments: [true, false])
    func reopening(closes: Bool) async throws {
        let file = try JournalFile()
        for opened in 0..<3 {
            let journal = try file.open()
            let session: any SessionJournal
            if opened == 0 {
                session = journal.create(Step.session())
            } else {
                let found = try await journal.session("session")
                #expect(found.summary.revision == opened * 100 && found.replayable.count == opened * 100)
                #expect(found.summary.header == Step.session())
                session = found.journal
            }
            Step.store(session, from: opened * 100).step(100)
            #expect(await session.awaitDurable() == nil)
            if closes { await journal.closed() }
        }
        let journal = try file.open()
        #expect(journal.sessionCount == 1)
        let found = try await journal.session("session")
        #expect(found.replayable.count == 300)
        #expect(try await found.journal.commits(after: 0)?.map(\.revision) == Array(1...300))
    }

    @Test("knows no session that was never begun, and tells one that ended from it", arguments: [true, false])
    func ended(isHeld: Bool) async throws {
        let file = try JournalFile()
        let journal = try file.open()
        #expect(try await journal.found("session").word == "unknown")
        let session = journal.create(Step.session())
        Step.store(session).step(3)
        if isHeld { session.end(at: Step.moment) } else { journal.end("session", at: Step.moment) }
        #expect(try await journal.found("session").word == "ended")
        #expect(journal.sessionCount == 0)
        await journal.closed()
        #expect(try await file.open().found("session").word == "ended")
    }

    @Test("persists a batch and the response to it in one transaction")
    func transactions() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        let store = Step.store(session)
        let batch: JSONValue = [["type": "step"], ["type": "step"], ["type": "step"]]
        let answer = IdempotencyRecord(key: "k", fingerprint: .max, response: [1, 2, 3], at: Step.moment)
        var options = DispatchOptions()
        options.idempotencyRecord = { _ in answer }
        store.dispatch(batch, options) { _ in }
        store.dispatch(batch, DispatchOptions()) { _ in }
        #expect(await session.awaitDurable() == nil)
        let found = try await journal.session("session")
        #expect(found.summary.revision == 6 && found.answers == [answer] && found.replayable.count == 6)
    }

    @Test("is refused to a second who opens the same file, until the first is done with it")
    func oneAtATime() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        #expect(throws: StorageError.inUse(path: file.path)) { try file.open() }
        await journal.closed()
        _ = try file.open()
    }
}
