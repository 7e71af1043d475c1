import Foundation
import JSON
import Journal
import StoreHosting
import Stores
import Testing

@Suite("Files that somebody shortens or overwrites while the SQLite journal has them open")
struct ContentWatchTests {
    enum Change: String, CaseIterable {
        case walEmptied, walHalved, databaseEmptied, databaseHalved, headerOverwritten, backupCopiedOver
        /// Only for a journal at rest: whoever reads memory behind the end of its file is killed.
        case sharedMemoryEmptied

        var suffix: String {
            switch self {
            case .walEmptied, .walHalved: "-wal"
            case .sharedMemoryEmptied: "-shm"
            default: ""
            }
        }

        /// The file stays the same one, and keeps its name.
        func happen(to file: JournalFile) throws {
            let url = URL(filePath: file.path + suffix)
            switch self {
            case .walEmptied, .databaseEmptied, .sharedMemoryEmptied: try ContentWatchTests.resize(url, to: 0)
            case .walHalved, .databaseHalved:
                try ContentWatchTests.resize(url, to: try Data(contentsOf: url).count / 2)
            case .headerOverwritten: try ContentWatchTests.write(Data(repeating: 0x58, count: 100), to: url)
            case .backupCopiedOver:
                let copy = try JournalFile()
                try SQLiteStorage.backup(file.path, to: copy.path)
                try ContentWatchTests.write(try Data(contentsOf: URL(filePath: copy.path)), to: url)
            }
        }
    }

    private static func resize(_ url: URL, to size: Int) throws {
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
    }

    private static func write(_ bytes: Data, to url: URL) throws {
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// The detail of the event about the files. A write of the journal's own may fail first.
    private static func overwritten(in events: AsyncStream<StorageEvent>) async throws -> String {
        for await event in events {
            if case .overwritten(let detail) = event { return detail }
            guard case .failed = event else { throw Missing(id: "\(event)") }
        }
        throw Missing(id: "event")
    }

    private func contents(of file: JournalFile) -> [Data?] {
        ["", "-wal"].map { FileManager.default.contents(atPath: file.path + $0) }
    }

    @Test(
        "are missed although nobody writes, and nothing is written to them any more",
        arguments: Change.allCases.filter { $0 != .sharedMemoryEmptied })
    func nothingIsWrittenAnyMore(change: Change) async throws {
        let file = try JournalFile()
        let (events, report) = AsyncStream.makeStream(of: StorageEvent.self)
        let journal = try file.open(report: { report.yield($0) })
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(3)
        #expect(await session.awaitDurable() == nil && journal.isAvailable)
        try change.happen(to: file)
        let detail = try await Self.overwritten(in: events)
        #expect(detail.hasPrefix("\(file.path)\(change.suffix) ") && !journal.isAvailable)
        let remains = contents(of: file)
        store.step()
        guard case .unavailable = await session.awaitDurable() else { throw Missing(id: "failure") }
        guard case .unavailable = await journal.create(Step.session("new")).awaitDurable() else {
            throw Missing(id: "failure")
        }
        await journal.closed()
        #expect(contents(of: file) == remains)
    }

    @Test("are not as before when they have their length again", arguments: [Change.walEmptied, .databaseHalved])
    func theLossIsFinal(change: Change) async throws {
        let file = try JournalFile()
        let (events, report) = AsyncStream.makeStream(of: StorageEvent.self)
        let journal = try file.open(report: { report.yield($0) })
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(3)
        #expect(await session.awaitDurable() == nil)
        let url = URL(filePath: file.path + change.suffix)
        let size = try Data(contentsOf: url).count
        try change.happen(to: file)
        _ = try await Self.overwritten(in: events)
        try Self.resize(url, to: size)
        store.step()
        guard case .unavailable = await session.awaitDurable() else { throw Missing(id: "failure") }
        // The first use of the reader looks at the files again.
        await #expect(throws: JournalError.self) { try await journal.listed() }
        #expect(!journal.isAvailable)
        await journal.closed()
    }

    @Test("are missed although the next commits make them as long as they were", arguments: [0, 8192])
    func gapsAreFound(size: Int) async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        let store = Step.store(session)
        for _ in 0..<10 {
            store.step()
            #expect(await session.awaitDurable() == nil)
        }
        // The first use of the reader looks at the files. The next commit comes so soon that none is looked at before it, or it fails.
        _ = try await journal.session("session")
        try Self.resize(URL(filePath: file.path + "-wal"), to: size)
        store.step()
        _ = await session.awaitDurable()
        try await eventually { !journal.isAvailable }
        await journal.closed()
    }

    @Test(
        "are missed also if nobody has written since the start",
        arguments: [Change.databaseEmptied, .databaseHalved, .headerOverwritten, .sharedMemoryEmptied])
    func anIdleJournalNotices(change: Change) async throws {
        let file = try JournalFile()
        let first = try file.open()
        await first.create(Step.session()).awaitDurable()
        await first.closed()
        let journal = try file.open()
        // This waits for the check of the index, the last that reads the files until the watch looks at them.
        #expect(try await journal.found("none").word == "unknown" && journal.isAvailable)
        try change.happen(to: file)
        try await eventually { !journal.isAvailable }
        await journal.closed()
    }

    @Test("are not missed if SQLite shortens them itself")
    func sqliteMayShortenThem() async throws {
        let file = try JournalFile()
        let (events, report) = AsyncStream.makeStream(of: StorageEvent.self)
        let journal = try file.open(report: { report.yield($0) })
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(3)
        #expect(await session.awaitDurable() == nil)
        func checkpoint(_ statement: String) async throws {
            try file.change(statement)
            try await eventually {
                try file.change("PRAGMA wal_checkpoint(TRUNCATE)")
                return try Data(contentsOf: URL(filePath: file.path + "-wal")).isEmpty
            }
        }
        // The first use of each reader looks at the files, and so does the end.
        _ = try await journal.session("session")
        try await checkpoint("CREATE TABLE filling AS SELECT randomblob(4000000)")
        _ = try await journal.listed()
        store.step()
        #expect(await session.awaitDurable() == nil)
        let size = try Data(contentsOf: URL(filePath: file.path)).count
        try await checkpoint("DROP TABLE filling; VACUUM")
        #expect(try Data(contentsOf: URL(filePath: file.path)).count < size)
        store.step()
        #expect(await session.awaitDurable() == nil && journal.isAvailable)
        await journal.closed()
        // As after each end without a loss.
        #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
        report.finish()
        #expect(await events.first { _ in true } == nil)
        #expect(try await file.open().session("session").replayable.count == 5)
    }
}
