import Foundation
import JSON
import Journal
import StoreHosting
import Stores
import Testing

/// The commits that a journal keeps for idempotency records.
@Suite struct IdempotencyRecordTests {
    private func record(_ key: String, _ revision: Int?, at moment: Int = Step.moment) -> IdempotencyRecord {
        IdempotencyRecord(
            key: key, fingerprint: 1, response: Array(#"{"r":123456,"e":["animal.fetch"]}"#.utf8), revision: revision,
            at: moment)
    }

    /// Reads the state at a revision, as the journal replays it.
    private func count(_ journal: any SessionJournal, at revision: Int) async throws -> Int? {
        let base = try await journal.replayBase(for: revision)
        return base?.state(initial: Step.kind.initialState)?["count"]?.asInteger
    }

    @Test func aValidRecordKeepsTheCommitsOfItsRevisionInMemory() async throws {
        let session = MemoryJournal(keepCommits: 4, now: { Step.moment }).create(Step.session())
        let store = Step.store(session)
        store.step(10)
        store.append(record("k", 10), to: session)
        store.step(500)
        #expect(try await count(session, at: 10) == 10)
        #expect(try await count(session, at: 300) == 300)
        #expect(try await count(session, at: 3) == nil)
    }

    @Test func anExpiredRecordKeepsNothingInMemory() async throws {
        let session = MemoryJournal(keepCommits: 4, now: { Step.moment }).create(Step.session())
        let store = Step.store(session)
        store.step(10)
        store.append(record("k", 10, at: Step.moment - 661_000), to: session)
        store.step(100)
        #expect(try await count(session, at: 10) == nil)
    }

    @Test func theSessionTimeOfTheServerTellsWhichRecordsAreValid() async throws {
        let file = try JournalFile()
        // The wall clock is set forward at the start.
        let journal = try file.open(now: { Step.moment + 86_400_000 })
        journal.useSessionTime { Step.moment }
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(10)
        store.append(record("k", 10), to: session)
        await session.awaitDurable()
        #expect(try await journal.session("session").answers.map(\.key) == ["k"])
        journal.useSessionTime { Step.moment + 600_001 }
        #expect(try await journal.session("session").answers.isEmpty)
        await journal.closed()
    }

    @Test func aValidRecordKeepsTheCommitsOfItsRevisionInAFile() async throws {
        let file = try JournalFile()
        let journal = try file.open(keepCommits: 4)
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(10)
        store.append(record("k", 10), to: session)
        store.append(record("whole", nil), to: session)
        store.step(500)
        await session.awaitDurable()
        await journal.closed()
        let again = try file.open(keepCommits: 4)
        let found = try await again.session("session")
        #expect(found.answers.map(\.key) == ["k", "whole"])
        #expect(try await count(found.journal, at: 10) == 10)
        #expect(try await count(found.journal, at: 300) == 300)
        await again.closed()
        // When the record has expired, the next maintenance deletes the commits, without any new commit.
        let later = try file.open(keepCommits: 4, now: { Step.moment + 1_000_000 })
        let resumed = try await later.session("session")
        let store2 = Step.store(resumed.journal, from: 510)
        store2.step(40)
        await resumed.journal.awaitDurable()
        await later.closed()
        #expect(try file.number("SELECT min(revision) FROM commits") > 300)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    /// Keys of the usual length take at most 200 bytes each in a file, with their index.
    @Test func manyRecordsTakeLittleSpace() async throws {
        let count = 20_000
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        let store = Step.store(session)
        await session.awaitDurable()
        let before = try file.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        for number in 0..<count {
            store.append(
                record("8e03978e-40d5-43e8-bc93-" + String(100_000_000_000 + number), number), to: session)
        }
        await session.awaitDurable()
        let found = try await journal.session("session")
        #expect(found.answers.count == count)
        await journal.closed()
        let after = try file.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        #expect((after - before) / count <= 200, "\((after - before) / count) bytes for each record")
    }

    @Test func recordsOfAnOlderFileAreWhole() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        let old = IdempotencyRecord(key: "k", fingerprint: 7, response: Array("200 1\n\n{}".utf8), at: Step.moment)
        Step.store(session).append(old, to: session)
        await session.awaitDurable()
        await journal.closed()
        let first = try file.older(1)
        let again = try first.open()
        #expect(try await again.session("session").answers == [old])
        await again.closed()
    }
}
