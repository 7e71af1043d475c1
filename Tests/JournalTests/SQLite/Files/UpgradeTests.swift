import Dispatch
import Foundation
import Journal
import Locks
import StoreHosting
import Stores
import Testing

@Suite("A file of an older release")
struct UpgradeTests {
    private static let day = 86_400_000

    /// Sessions with all commits, without the oldest ones, without any retained ones, and without any at all; and an
    /// ended one.
    static func file() async throws -> JournalFile {
        let file = try JournalFile()
        let first = try file.open()
        let gone = first.create(Parcel.session("gone"))
        Parcel.store(gone).weigh(10)
        await gone.awaitDurable()
        await first.closed()
        let later = try file.open(keepDays: 30, now: { Step.moment + 31 * day })
        await later.create(Parcel.session("idle")).awaitDurable()
        await later.closed()
        let last = try file.open(keepCommits: 16)
        for (id, steps) in [("ended", 5), ("cut", 100), ("whole", 20)] {
            let session = last.create(Parcel.session(id))
            Parcel.store(session).weigh(steps)
            if id == "ended" { session.end(at: Step.moment) }
            #expect(await session.awaitDurable() == nil)
        }
        await last.closed()
        return file
    }

    private static func cuts(_ file: JournalFile) throws -> [Int] {
        try ["whole", "idle", "cut", "gone"].map { try file.number("SELECT cut FROM sessions WHERE id = '\($0)'") }
    }

    @Test("is migrated once, with an event, and keeps its content", arguments: [1, 2, 3, 4, 5, 6], [true, false])
    func isMigratedOnOpening(version: Int, hasLog: Bool) async throws {
        let file = try await Self.file()
        let cuts = try Self.cuts(file)
        #expect(cuts[0] == 0 && cuts[1] == 0 && cuts[2] == 64 && cuts[3] == 10)
        let old = try file.older(version, hasLog: hasLog)
        let events = Locked<[StorageEvent]>([])
        for _ in 1...2 {
            let journal = try old.open(report: { event in events.withLock { $0.append(event) } })
            #expect(try old.number("PRAGMA user_version") == 7)
            #expect(try Self.cuts(old) == cuts)
            for (id, revision) in [("whole", 20), ("idle", 0), ("cut", 100), ("gone", 10)] {
                let found = try await journal.session(id)
                #expect(found.summary.revision == revision && found.replayable.count == revision)
            }
            #expect(try await journal.found("ended").word == "ended")
            await journal.closed()
        }
        #expect(events.withLock(\.self) == [.upgrading(from: version, to: 7)])
        #expect(try SQLiteStorage.verify(old.path).problems.isEmpty)
    }

    @Test("can be verified, backed up and exported without a migration", arguments: [1, 2, 3, 4, 5, 6])
    func maintenanceWorksWithoutMigration(version: Int) async throws {
        let file = try await Self.file()
        let (old, copy) = (try file.older(version), try JournalFile())
        let known = try SQLiteStorage.verify(file.path)
        let found = try SQLiteStorage.verify(old.path)
        #expect(found.problems.isEmpty && found.sessions == 4 && found.commits == known.commits)
        for id in ["whole", "idle", "cut", "gone"] {
            #expect(try SQLiteStorage.export(id, from: old.path) == SQLiteStorage.export(id, from: file.path))
        }
        try SQLiteStorage.backup(old.path, to: copy.path)
        #expect(try copy.number("PRAGMA user_version") == version)
        // An export of an older file is imported still, also if its first commits were deleted.
        let document = try SQLiteStorage.export("cut", from: old.path)
        #expect(try SQLiteStorage.insert(document, into: copy.path, as: "again") == "again")
        #expect(try copy.number("PRAGMA user_version") == 7)
        #expect(try SQLiteStorage.verify(copy.path).problems.isEmpty)
        #expect(try await copy.open().session("again").replayable.count == 100)
    }

    @Test("has the bytes of its logs counted when they are checked for deletion", arguments: [1, 2])
    func countsBytesLater(version: Int) async throws {
        let old = try (try await Self.file()).older(version)
        let journal = try old.open(keepCommits: 16)
        let found = try await journal.session("cut")
        #expect(try old.number("SELECT count(*) FROM sessions WHERE bytes IS NULL AND id = 'cut'") == 1)
        try Parcel.store(Parcel.first, found).weigh(1)
        #expect(await found.journal.awaitDurable() == nil)
        await journal.closed()
        #expect(try old.number("SELECT count(*) FROM sessions WHERE bytes > 0 AND id = 'cut'") == 1)
        #expect(try SQLiteStorage.verify(old.path).problems.isEmpty)
    }

    @Test("keeps the commits that the older release had not sorted yet")
    func keepsUnsortedCommits() async throws {
        let file = try JournalFile()
        let journal = try file.open(sorting: SortingPolicy(delay: .seconds(3600)))
        let session = journal.create(Parcel.session("unsorted"))
        Parcel.store(session).weigh(50)
        #expect(await session.awaitDurable() == nil)
        let old = try (try file.copy()).older(5)
        #expect(try SQLiteStorage.verify(old.path).commits == 50)
        let next = try old.open()
        #expect(try await next.session("unsorted").replayable.count == 50)
        await next.closed()
        #expect(try old.number("SELECT count(*) FROM segments") == 1)
        #expect(try SQLiteStorage.verify(old.path).commits == 50)
    }

    @Test("is not migrated if commits are damaged; the other sessions can be exported")
    func refusesDamagedCommits() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        for number in 0..<20 {
            let session = journal.create(Parcel.session("\(number)"))
            Parcel.store(session).weigh(50)
            #expect(await session.awaitDurable() == nil)
        }
        await journal.closed()
        let old = try file.older(5, hasLog: false)
        try old.change("VACUUM")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: old.path))
        let pages = stride(from: 0, to: bytes.count, by: 4096).filter { page in
            bytes[page] == 0x0a && bytes[page..<page + 4096].firstRange(of: Data("client".utf8)) != nil
        }
        let page = try #require(pages.dropFirst(pages.count / 2).first)
        bytes.replaceSubrange(page..<page + 4096, with: repeatElement(0xff, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: old.path))
        #expect(throws: StorageError.self) { try old.open() }
        #expect(try old.number("PRAGMA user_version") == 5)
        let found = try SQLiteStorage.verify(old.path)
        #expect(found.sessions == 20 && (1..<20).contains(found.damagedSessions))
        let whole = (0..<20).filter { (try? SQLiteStorage.export("\($0)", from: old.path)) != nil }
        #expect(whole.count == 20 - found.damagedSessions)
    }
}
