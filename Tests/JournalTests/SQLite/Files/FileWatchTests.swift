import Foundation
import Journal
import StoreHosting
import Stores
import Testing

@Suite("Files that somebody deletes, moves or replaces while the SQLite journal has them open")
struct FileWatchTests {
    /// How files lose their names.
    enum Loss: String, CaseIterable {
        case databaseMoved, everythingMoved, folderMoved, walMoved, sharedMemoryMoved, lockMoved, databaseReplaced

        private var suffixes: [String] {
            switch self {
            case .databaseMoved, .databaseReplaced: [""]
            case .everythingMoved: ["", "-wal", "-shm", "-lock"]
            case .walMoved: ["-wal"]
            case .sharedMemoryMoved: ["-shm"]
            case .lockMoved: ["-lock"]
            case .folderMoved: []
            }
        }

        func happen(to file: JournalFile) throws {
            for suffix in suffixes { try move(file.path + suffix, file.path + ".moved" + suffix) }
            if self == .folderMoved { try move(file.directory.path, file.directory.path + ".moved") }
            guard self == .databaseReplaced else { return }
            try FileManager.default.copyItem(atPath: file.path + ".moved", toPath: file.path)
        }

        func undo(to file: JournalFile) throws {
            if self == .databaseReplaced { try FileManager.default.removeItem(atPath: file.path) }
            for suffix in suffixes { try move(file.path + ".moved" + suffix, file.path + suffix) }
            if self == .folderMoved { try move(file.directory.path + ".moved", file.directory.path) }
        }

        /// Replaces what has the new name, as `mv` does: a reader that opens the database without its WAL makes a new one.
        private func move(_ old: String, _ new: String) throws {
            guard rename(old, new) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        }
    }

    @Test("are missed although nobody writes; nothing is committed until they are back", arguments: Loss.allCases)
    func nothingIsCommittedMeanwhile(loss: Loss) async throws {
        let file = try JournalFile()
        let (events, report) = AsyncStream.makeStream(of: StorageEvent.self)
        var iterator = events.makeAsyncIterator()
        let journal = try file.open(report: { report.yield($0) })
        let session = journal.create(Step.session())
        let store = Step.store(session)
        store.step(3)
        #expect(await session.awaitDurable() == nil && journal.isAvailable)

        try loss.happen(to: file)
        guard case .replaced(let detail) = await iterator.next() else { throw Missing(id: "event") }
        #expect(detail.contains(file.path) && !journal.isAvailable)
        store.step()
        guard case .unavailable = await session.awaitDurable() else { throw Missing(id: "failure") }
        guard case .unavailable = await journal.create(Step.session("new")).awaitDurable() else {
            throw Missing(id: "failure")
        }

        try loss.undo(to: file)
        #expect(await iterator.next() == .recovered)
        #expect(journal.isAvailable)
        let found = try await journal.session("session")
        #expect(found.replayable.count == 3)
        Step.store(found.journal, from: 3).step()
        #expect(await found.journal.awaitDurable() == nil)
        await journal.closed()
        let again = try await file.open().session("session")
        #expect(again.replayable.count == 4)
    }

    @Test("leave the path to another process, which is the only one that commits there")
    func onlyOneProcessCommits() async throws {
        let file = try JournalFile()
        let (events, report) = AsyncStream.makeStream(of: StorageEvent.self)
        let first = try file.open(report: { report.yield($0) })
        let session = first.create(Step.session())
        Step.store(session).step(3)
        #expect(await session.awaitDurable() == nil)
        try Loss.everythingMoved.happen(to: file)
        for await case .replaced in events { break }

        let second = try file.open()
        let other = second.create(Step.session("other"))
        Step.store(other).step(5)
        #expect(await other.awaitDurable() == nil)
        Step.store(session, from: 3).step()
        #expect(await session.awaitDurable() != nil)
        // Whoever closes a file of SQLite last deletes the WAL of that name.
        await first.closed()
        Step.store(other, from: 5).step()
        #expect(await other.awaitDurable() == nil)
        #expect(try await file.copy().open().session("other").replayable.count == 6)
        await second.closed()
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("have every commit in the database if only the WAL is gone, also if the process is killed then")
    func commitsOfALostWALAreSaved() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        Step.store(session).step(30)
        #expect(await session.awaitDurable() == nil)
        try FileManager.default.removeItem(atPath: file.path + "-wal")
        try await eventually {
            guard let copy = try? file.copy(), let killed = try? copy.open() else { return false }
            let found = try? await killed.session("session")
            await killed.closed()
            return found?.replayable.count == 30
        }
    }

    @Test("are not replaced by a restoration as long as the process runs that has them open")
    func restorationNeedsTheLock() async throws {
        let (file, copy) = (try JournalFile(), try JournalFile())
        let journal = try file.open()
        await journal.create(Step.session()).awaitDurable()
        try SQLiteStorage.backup(file.path, to: copy.path)
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: file.path + suffix) }
        #expect(throws: StorageError.inUse(path: file.path)) { try SQLiteStorage.restore(copy.path, to: file.path) }
        await journal.closed()
        try SQLiteStorage.restore(copy.path, to: file.path)
        #expect(try SQLiteStorage.verify(file.path).sessions == 1)
    }

    @Test(
        "are said to be in use by every command, whichever of them are gone",
        arguments: [[], [""], ["-wal"], ["", "-wal", "-shm"]])
    func theLockComesFirst(gone: [String]) async throws {
        let (file, copy) = (try JournalFile(), try JournalFile())
        let journal = try file.open()
        await journal.create(Step.session()).awaitDurable()
        try SQLiteStorage.backup(file.path, to: copy.path)
        let session = try SQLiteStorage.export("session", from: copy.path)
        for suffix in gone { try FileManager.default.removeItem(atPath: file.path + suffix) }
        let inUse = StorageError.inUse(path: file.path)
        #expect(throws: inUse) { try SQLiteStorage.restore(copy.path, to: file.path) }
        #expect(throws: inUse) { try SQLiteStorage.backup(copy.path, to: file.path) }
        #expect(throws: inUse) { try SQLiteStorage.insert(session, into: file.path, as: "other") }
        #expect(throws: inUse) { try SQLiteStorage.deleteSession("session", from: file.path) }
        #expect(throws: inUse) { try file.open() }
        await journal.closed()
    }

    @Test("are to be moved away, with those beside them, before a restoration")
    func aRestorationNeedsAFreeName() async throws {
        let (file, copy) = (try JournalFile(), try JournalFile())
        await (try file.open()).closed()
        try SQLiteStorage.backup(file.path, to: copy.path)
        let error = #expect(throws: StorageError.self) { try SQLiteStorage.restore(copy.path, to: file.path) }
        #expect(
            error?.description.contains("move it away first, with the files beside it (-wal, -shm and -lock)") == true)
    }

    @Test("are named once although the path in the configuration is another one")
    func aFileIsNamedOnce() async throws {
        let file = try JournalFile()
        let link = file.directory.path + ".link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.directory.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let (events, report) = AsyncStream.makeStream(of: StorageEvent.self)
        var iterator = events.makeAsyncIterator()
        let journal = try SQLiteJournal(path: link + "/storehouse.db", report: { report.yield($0) })
        try FileManager.default.moveItem(atPath: file.path, toPath: file.path + ".moved")
        guard case .replaced(let detail) = await iterator.next() else { throw Missing(id: "event") }
        #expect(detail.hasSuffix("/storehouse.db is gone") && !detail.contains(","))
        try FileManager.default.moveItem(atPath: file.path + ".moved", toPath: file.path)
        #expect(await iterator.next() == .recovered)
        // Only the path of the configuration leads nowhere now.
        try FileManager.default.removeItem(atPath: link)
        #expect(await iterator.next() == .replaced("\(link)/storehouse.db is gone"))
        await journal.closed()
    }

    @Test("leave nothing behind that would be applied to a copy of that name", arguments: ["-wal", "-journal"])
    func orphansAreRefused(suffix: String) async throws {
        let (file, copy) = (try JournalFile(), try JournalFile())
        await (try file.open()).closed()
        try Data("left".utf8).write(to: URL(filePath: copy.path + suffix))
        let error = #expect(throws: StorageError.self) { try SQLiteStorage.backup(file.path, to: copy.path) }
        #expect(error?.description.contains("\(copy.path)\(suffix)") == true)
        #expect(throws: StorageError.self) { try SQLiteStorage.restore(file.path, to: copy.path) }
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }
}
