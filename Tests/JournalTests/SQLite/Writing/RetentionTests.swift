import Foundation
import Journal
import Locks
import StoreHosting
import Stores
import Testing

@Suite("Retention of the SQLite journal")
struct RetentionTests {
    private static let day = 86_400_000

    /// The newest deleted revision, after compaction is complete.
    private func oldest(_ journal: any SessionJournal, _ newest: Int) async throws -> Int {
        for revision in 0...newest where try await journal.commits(after: revision, limit: 1) != nil { return revision }
        return newest
    }

    @Test("does not delete commits by a date to which somebody sets the clock forward")
    func dateOfExpiry() {
        let clocks = Locked((wall: Step.moment, steady: 5))
        let date = RetentionDate(wall: { clocks.withLock(\.wall) }, steady: { clocks.withLock(\.steady) })
        #expect(date.now() == Step.moment)
        clocks.withLock { $0 = (Step.moment + Self.day, 1005) }
        #expect(date.now() == Step.moment + 1000)
        clocks.withLock { $0 = (Step.moment - Self.day, 2005) }
        #expect(date.now() == Step.moment - Self.day)
        clocks.withLock { $0 = (Step.moment + 3000, 3005) }
        #expect(date.now() == Step.moment + 3000)
    }

    @Test("deletes the oldest commits when there are more than twice the configured number")
    func deletesByCount() async throws {
        let file = try JournalFile()
        let journal = try file.open(keepCommits: 100)
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(1000)
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        #expect(try file.number("SELECT count(*) FROM commits") < 300)
        let again = try file.open(keepCommits: 100)
        let found = try await again.session("session")
        #expect(found.replayable.count == 1000)
        let oldest = try await oldest(found.journal, 1000)
        #expect(oldest >= 700 && oldest <= 900)
        for revision in [0, oldest - 1] { #expect(try await found.journal.replayBase(for: revision) == nil) }
        for revision in oldest...1000 { #expect(try await found.journal.replayBase(for: revision)?.count == revision) }
        #expect(try await found.journal.commits(after: oldest - 1) == nil)
        #expect(try await found.journal.oldestRevision() == oldest + 1)
        #expect(try await found.journal.commits(after: oldest)?.map(\.revision) == Array((oldest + 1)...1000))
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("deletes commits up to a snapshot, also amid a segment, of which the rest stays")
    func splitsSegments() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        Step.store(session).step(100)
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        #expect(try file.number("SELECT count(*) FROM segments WHERE first = 1 AND last = 100") == 1)
        let again = try file.open(keepCommits: 16)
        let found = try await again.session("session").journal
        Step.store(found, from: 100).step()
        #expect(await found.awaitDurable() == nil)
        await again.closed()
        #expect(try file.number("SELECT cut FROM sessions") == 64)
        #expect(try file.number("SELECT count(*) FROM segments WHERE first = 65 AND last = 100") == 1)
        #expect(try file.number("SELECT count(*) FROM commits") == 37)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("goes on while commits never cease")
    func compactsUnderLoad() async throws {
        let file = try JournalFile()
        let journal = try file.open(keepCommits: 100, sorting: SortingPolicy(maxBytes: 0))
        let sessions = (0..<32).map { journal.create(Step.session("\($0)")) }
        let isDone = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The writers go on until then, also if this fails.
            defer { isDone.withLock { $0 = true } }
            for session in sessions {
                group.addTask {
                    let store = Step.store(session)
                    while !isDone.withLock(\.self) {
                        store.step()
                        #expect(await session.awaitDurable() == nil)
                    }
                }
            }
            try await eventually { try await sessions[0].oldestRevision() > 1 }
        }
        await journal.closed()
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("counts the age of each commit, also of those in the segment of a younger one")
    func deletesByAgeWithinASegment() async throws {
        let (file, other) = (try JournalFile(), try JournalFile())
        let first = try file.open()
        let session = first.create(Step.session())
        Step.store(session).step(100)
        #expect(await session.awaitDurable() == nil)
        await first.closed()
        let document = String(decoding: try SQLiteStorage.export("session", from: file.path), as: UTF8.self)
        let newest = "\"revision\":100,\"at\":"
        let changed = document.replacing("\(newest)\(Step.moment)", with: "\(newest)\(Step.moment + 20 * Self.day)")
        #expect(changed != document)
        _ = try SQLiteStorage.insert(Array(changed.utf8), into: other.path, as: nil)
        let later = try other.open(keepDays: 30, now: { Step.moment + 31 * Self.day })
        await later.create(Step.session("other")).awaitDurable()
        await later.closed()
        #expect(try other.number("SELECT count(*) FROM commits WHERE session = 1") == 1)
        #expect(try SQLiteStorage.verify(other.path).problems.isEmpty)
    }

    @Test("puts at most 128 KiB of commits into a segment, unless a single commit is larger")
    func boundsSegments() async throws {
        let file = try JournalFile()
        let journal = try file.open(keepCommits: 10_000, sorting: SortingPolicy(stepCommits: 10_000))
        let session = journal.create(Step.session())
        Step.store(session).step(5000)
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        #expect(try file.number("SELECT max(length(commits)) FROM segments") < 256 << 10)
        #expect(try file.number("SELECT count(*) FROM segments") > 1)
        #expect(try SQLiteStorage.verify(file.path).commits == 5000)
    }

    @Test("deletes the oldest commits when they take more than the configured bytes", arguments: [20_000, 100_000])
    func deletesByBytes(keepBytes: Int) async throws {
        let file = try JournalFile()
        let journal = try file.open(keepBytes: keepBytes)
        let session = journal.create(Step.session())
        let store = Step.store(session)
        // The journal closes without deleting what the last transaction put over the limit, so that one is small.
        for count in Array(repeating: 100, count: 19) + [99, 1] {
            store.step(count)
            #expect(await session.awaitDurable() == nil)
        }
        await journal.closed()
        let bytes = try file.number("SELECT bytes FROM sessions")
        #expect(bytes <= keepBytes * 5 / 4 && bytes > keepBytes / 3)
        let again = try file.open(keepBytes: keepBytes)
        let found = try await again.session("session")
        #expect(found.replayable.count == 2000)
        let oldest = try await oldest(found.journal, 2000)
        #expect(oldest > 1000 && oldest < 2000)
        #expect(try await found.journal.replayBase(for: oldest)?.count == oldest)
        await again.closed()
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("retains what a valid idempotency record needs, until it is not valid any more")
    func retainsForRecords() async throws {
        let file = try JournalFile()
        let now = Locked(Step.moment)
        let journal = try file.open(keepCommits: 16, keepBytes: 20_000, now: { now.withLock(\.self) })
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(100)
        store.append(
            IdempotencyRecord(key: "k", fingerprint: 1, response: [1], revision: 100, at: Step.moment), to: session)
        store.step(900)
        #expect(await session.awaitDurable() == nil)
        let first = try #require(try await session.replayBase(for: 100))
        #expect(first.count == 100)
        now.withLock { $0 += 16 * 60_000 }
        store.step(100)
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        #expect(try file.number("SELECT cut FROM sessions") > 900)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("deletes commits that are older than the configured age")
    func deletesByAge() async throws {
        let file = try JournalFile()
        let young = try file.open()
        let session = young.create(Step.session())
        Step.store(session).step(10)
        await session.awaitDurable()
        await young.closed()
        let old = try file.open(keepDays: 30, now: { Step.moment + 31 * Self.day })
        await old.create(Step.session("other")).awaitDurable()
        await old.closed()
        #expect(try file.number("SELECT count(*) FROM commits") == 0)
        let journal = try file.open(keepDays: 30, now: { Step.moment + 31 * Self.day })
        let found = try await journal.session("session")
        #expect(found.summary.revision == 10 && found.replayable.count == 10)
        Step.store(found.journal, from: 10).step()
        #expect(await found.journal.awaitDurable() == nil)
        #expect(try await journal.session("session").replayable.count == 11)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("deletes rows of ended sessions and old idempotency records, and tombstones after an hour")
    func deletesRowsOfEndedSessions() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        for id in ["a", "b"] {
            let session = journal.create(Step.session(id))
            let store = Step.store(session)
            store.step(300)
            store.append(IdempotencyRecord(key: "k", fingerprint: 1, response: [1], at: Step.moment), to: session)
            if id == "a" { session.end(at: Step.moment) }
            await session.awaitDurable()
        }
        await journal.closed()
        #expect(try file.number("SELECT count(*) FROM commits") == 300)
        #expect(try file.number("SELECT count(*) FROM answers") == 1)
        let later = try file.open(now: { Step.moment + 599_000 })
        #expect(try await later.found("a").word == "ended")
        #expect(try await later.session("b").answers.count == 1)
        await later.closed()
        let last = try file.open(now: { Step.moment + 4_000_000 })
        await last.create(Step.session("c")).awaitDurable()
        #expect(try await last.session("b").answers.isEmpty)
        await last.closed()
        #expect(try file.number("SELECT count(*) FROM answers") == 0)
        #expect(try file.number("SELECT count(*) FROM sessions") == 2)
    }

    @Test("deletes all expired rows, however many they are, and not some with each purge")
    func deletesManyRows() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        let store = Step.store(session)
        for number in 0..<450 {
            let record = IdempotencyRecord(key: "\(number)", fingerprint: 1, response: [1], at: Step.moment)
            store.append(record, to: session)
            journal.create(Step.session("ended \(number)")).end(at: Step.moment)
        }
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        // By this clock no other purge is ever due.
        let later = try file.open(now: { Step.moment + 4_000_000 })
        try await eventually { try file.number("SELECT count(*) FROM sessions") == 1 }
        try await eventually { try file.number("SELECT count(*) FROM answers") == 0 }
        await later.closed()
    }
}
