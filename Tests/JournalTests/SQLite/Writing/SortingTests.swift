import CFaultyDisk
import Dispatch
import JSON
import Journal
import StoreHosting
import Stores
import Testing

@Suite("Commits that the SQLite journal has not sorted into their sessions yet")
struct SortingTests {
    /// Sessions with as many commits each, as a process leaves them behind that is killed before it sorts them.
    private func killed(_ count: Int, commits: Int) async throws -> JournalFile {
        let file = try JournalFile()
        let journal = try file.open(sorting: SortingPolicy(delay: .seconds(3600)))
        for number in 0..<count {
            let session = journal.create(Step.session("\(number)"))
            Step.store(session).step(commits)
            #expect(await session.awaitDurable() == nil)
        }
        let copy = try file.copy()
        #expect(try copy.number("SELECT count(*) FROM commits") == 0)
        return copy
    }

    private func check(_ file: JournalFile, _ count: Int, commits: Int) async throws {
        let journal = try file.open()
        for number in 0..<count {
            let found = try await journal.session("\(number)")
            #expect(found.summary.revision == commits && found.replayable.count == commits)
            #expect(try await found.journal.commits(after: 0)?.map(\.revision) == Array(1...commits))
        }
        await journal.closed()
        #expect(try file.number("SELECT count(*) FROM unsorted") == 0)
        #expect(try file.number("SELECT count(*) FROM commits") == count * commits)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("are found by the next process, which sorts them")
    func areSorted() async throws {
        try await check(try await killed(30, commits: 20), 30, commits: 20)
    }

    @Test("are sorted with all that they have, also with empty texts")
    func fields() async throws {
        let file = try JournalFile()
        let journal = try file.open(sorting: SortingPolicy(maxBytes: 0))
        let (session, store) = (journal.create(Step.session()), Step.kind.makeStore())
        for revision in 1...100 {
            store.step()
            store.inspect { state in
                let commit = Self.commit(revision, state.commits[0].changes)
                session.append(CommitTransaction(baseRevision: revision - 1, commits: [commit]), state)
            }
        }
        await journal.closed()
        #expect(try file.number("SELECT count(*) FROM commits") == 100)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
        let next = try file.open()
        for commit in try #require(try await next.session("session").journal.commits(after: 0)) {
            let expected = Self.commit(commit.revision, commit.changes)
            #expect(commit.type == expected.type && commit.payload == expected.payload)
            #expect(commit.origin == expected.origin && commit.cause == expected.cause)
            #expect(commit.privateState == expected.privateState && commit.committedAt == expected.committedAt)
        }
        await next.closed()
    }

    /// A commit with or without what some commits do not have.
    private static func commit(_ revision: Int, _ changes: EncodedPatch) -> CommitRecord {
        CommitRecord(
            revision: revision, type: revision % 7 == 0 ? "" : "step",
            payload: revision % 2 == 0 ? [:] : ["text": .string(String(repeating: "ü", count: revision))],
            origin: revision % 3 == 0 ? .effect : .client, cause: revision % 3 == 0 ? revision - 1 : nil,
            committedAt: Step.moment + revision, changes: changes,
            privateState: revision % 5 == 0 ? Array("{\"a\":\(revision)}".utf8) : nil)
    }

    @Test("are verified, exported, listed and backed up like the others")
    func maintenance() async throws {
        let (file, copy) = (try await killed(5, commits: 100), try JournalFile())
        let found = try SQLiteStorage.verify(file.path)
        #expect(found.problems.isEmpty && found.commits == 500)
        let document = try SQLiteStorage.export("3", from: file.path)
        #expect(String(decoding: document, as: UTF8.self).contains("\"revision\":100"))
        var revisions: [Int?] = []
        try SQLiteStorage.listSessions(file.path) { revisions.append($0.summary?.revision) }
        #expect(revisions == Array(repeating: 100, count: 5))
        try SQLiteStorage.backup(file.path, to: copy.path)
        try await check(copy, 5, commits: 100)
        try SQLiteStorage.deleteSession("3", from: file.path)
        #expect(try SQLiteStorage.verify(file.path).commits == 400)
    }

    @Test("are there in a backup that is made while some are sorted, as far as they were acknowledged")
    func backupWhileSorting() async throws {
        let file = try JournalFile()
        let journal = try file.open(sorting: SortingPolicy(maxBytes: 0))
        let sessions = (0..<20).map { journal.create(Step.session("\($0)")) }
        let stores = sessions.map { Step.store($0) }
        for round in 1...10 {
            for store in stores { store.step(10) }
            for session in sessions { #expect(await session.awaitDurable() == nil) }
            let copy = try JournalFile()
            try SQLiteStorage.backup(file.path, to: copy.path)
            try await check(copy, 20, commits: 10 * round)
            #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
        }
        await journal.closed()
    }

    @Test("are read together with those that are sorted, while they are sorted")
    func readsBoth() async throws {
        let file = try JournalFile()
        let journal = try file.open(sorting: SortingPolicy(maxBytes: 0))
        let session = journal.create(Step.session())
        let store = Step.store(session)
        for round in 1...60 {
            let revision = 20 * round
            store.step(20)
            #expect(await session.awaitDurable() == nil)
            let found = try await journal.session("session")
            #expect(found.summary.revision == revision && found.replayable.count == revision)
            #expect(try await found.journal.commits(after: 0)?.map(\.revision) == Array(1...revision))
            let past = try await found.journal.replayBase(for: revision - 10)
            #expect(past?.count == revision - 10)
            #expect(try await journal.listed().map(\.revision) == [revision])
        }
        await journal.closed()
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("are read together with snapshots that are written at the same moment")
    func readsNewSnapshots() async throws {
        let file = try JournalFile()
        let journal = try file.open(sorting: SortingPolicy(maxBytes: 1000))
        let session = journal.create(Step.session())
        let store = Step.store(session)
        #expect(await session.awaitDurable() == nil)
        for revision in 1...2000 {
            store.step()
            #expect(try await session.replayBase(for: revision)?.count == revision)
            let commits = try await session.commits(after: max(0, revision - 5))
            #expect(commits?.map(\.revision) == Array(max(1, revision - 4)..<(revision + 1)))
        }
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test(
        "survive a disk that fails while they are sorted", arguments: DiskFaultTests.kinds.map(\.rawValue),
        [0, 2, 4, 6, 9])
    func diskFails(kind: UInt32, after good: Int) async throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        let (events, next) = AsyncStream.makeStream(of: StorageEvent.self)
        let journal = try file.open(sorting: SortingPolicy(maxBytes: 0), vfs: disk.name, report: { next.yield($0) })
        let sessions = (0..<4).map { journal.create(Step.session("\($0)")) }
        let stores = sessions.map { Step.store($0) }
        var revisions = [0, 0, 0, 0]
        for round in 0..<200 {
            if round == 20 { disk.fail(faulty_kind(kind), after: good) }
            let number = round % 4
            stores[number].step()
            guard await sessions[number].awaitDurable() == nil else { break }
            revisions[number] += 1
        }
        #expect(!journal.isAvailable && revisions.allSatisfy { $0 >= 5 })
        // All that is durable can be read while the disk fails.
        for (number, revision) in revisions.enumerated() {
            let found = try await journal.session("\(number)")
            #expect(found.summary.revision == revision)
            #expect(try await found.journal.commits(after: 0)?.map(\.revision) == Array(1..<(revision + 1)))
        }
        disk.heal()
        for await event in events where event == .recovered { break }
        let crashed = try file.copy()
        await journal.closed()
        for file in [crashed, file] {
            let again = try file.open()
            for (number, revision) in revisions.enumerated() {
                #expect(try await again.session("\(number)").replayable.count == revision)
            }
            await again.closed()
            #expect(try file.number("SELECT count(*) FROM unsorted") == 0)
            #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
        }
    }

    @Test(
        "have the file refused if some are missing or damaged, and are named by verify",
        arguments: [
            "DELETE FROM unsorted WHERE number = 7", "DELETE FROM unsorted WHERE number > 25", "DELETE FROM unsorted",
            "UPDATE unsorted SET number = number + 1000 WHERE number = 3",
            "UPDATE unsorted SET commits = zeroblob(length(commits)) WHERE number = 9",
            "UPDATE unsorted SET commits = substr(commits, 1, length(commits) - 1) WHERE number = 9",
            "UPDATE meta SET value = value + 1 WHERE name = 'unsorted'",
        ])
    func damage(change: String) async throws {
        let file = try await killed(30, commits: 1)
        try file.change(change)
        #expect(throws: StorageError.self) { try file.open() }
        #expect(try SQLiteStorage.verify(file.path).problems.contains { $0.contains("unsorted") })
    }

    @Test("stay where they are as long as the rows of their session are damaged, and stop no other session")
    func damagedSession() async throws {
        let file = try await killed(5, commits: 10)
        // A row is in the way of the tenth commit of the session 2, the last one of its segment.
        try file.change(
            """
            INSERT INTO commits VALUES
                ((SELECT number FROM sessions WHERE id = '2'), 10, 0, '', '', '', NULL, '', NULL, 0)
            """)
        for revision in 10...11 {
            let journal = try file.open(sorting: SortingPolicy(maxBytes: 0))
            let session = try await journal.session("1").journal
            Step.store(session, from: revision).step()
            #expect(await session.awaitDurable() == nil)
            await journal.closed()
            #expect(try file.number("SELECT count(*) FROM unsorted") == 1)
            #expect(try file.number("SELECT count(*) FROM commits WHERE session = 2") == revision + 1)
        }
        #expect(try SQLiteStorage.verify(file.path).problems.contains { $0.hasPrefix("session 2: ") })
        try file.change("DELETE FROM commits WHERE type = ''")
        let journal = try file.open()
        #expect(try await journal.session("2").replayable.count == 10)
        await journal.closed()
        #expect(try file.number("SELECT count(*) FROM unsorted") == 0)
        #expect(try file.number("SELECT count(*) FROM commits WHERE session = 3") == 10)
    }

    @Test("of an ended session go with it")
    func ended() async throws {
        let file = try await killed(3, commits: 10)
        let journal = try file.open()
        journal.end("1", at: Step.moment)
        #expect(try await journal.found("1").word == "ended")
        await journal.closed()
        #expect(try file.number("SELECT count(*) FROM commits") == 20)
        #expect(try file.number("SELECT count(*) FROM unsorted") == 0)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }
}
