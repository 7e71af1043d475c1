import Foundation
import Journal
import StoreHosting
import Testing

@Suite("A file that the SQLite journal cannot use")
struct ForeignFileTests {
    /// The error of opening the file, which must not change.
    private func openError(_ file: JournalFile) throws -> StorageError? {
        let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
        let error = #expect(throws: StorageError.self) { try file.open() }
        #expect((try? SQLiteStorage.verify(file.path))?.problems.isEmpty != true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
        return error
    }

    @Test("is not a database", arguments: ["x", String(repeating: "SQLite format 3\0", count: 100)])
    func isNotADatabase(contents: String) throws {
        let file = try JournalFile()
        try Data(contents.utf8).write(to: URL(fileURLWithPath: file.path))
        guard case .foreign = try openError(file) else { throw Missing(id: "foreign") }
    }

    @Test("is another application's database")
    func belongsToAnotherApplication() throws {
        let file = try JournalFile()
        try file.change("CREATE TABLE things (name TEXT)")
        guard case .foreign = try openError(file) else { throw Missing(id: "foreign") }
    }

    @Test("is a newer release's database")
    func isFromANewerRelease() async throws {
        let file = try JournalFile()
        await (try file.open()).closed()
        try file.change("PRAGMA user_version = 99")
        #expect(try openError(file) == .newer(path: file.path, version: 99))
    }

    @Test("is a damaged database")
    func isDamaged() async throws {
        let file = try JournalFile()
        await (try file.open()).closed()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0xee, count: 3996))
        try handle.close()
        guard case .corrupt = try openError(file) else { throw Missing(id: "corrupt") }
    }

    @Test("is a directory, or in a missing directory")
    func isADirectory() throws {
        let file = try JournalFile()
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: StorageError.self) { try file.open() }
        #expect(throws: StorageError.self) { try SQLiteJournal(path: file.path + "/none/db") }
        #expect(throws: StorageError.missing(path: file.path + "/db")) { try SQLiteStorage.verify(file.path + "/db") }
    }

    @Test("is missing or empty while its WAL exists", arguments: [true, false])
    func hasAnOrphanedWAL(isMissing: Bool) async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        Step.store(session).step(3)
        await session.awaitDurable()
        let left = try file.copy()
        let contents = try Data(contentsOf: URL(fileURLWithPath: left.path))
        let log = try Data(contentsOf: URL(fileURLWithPath: left.path + "-wal"))
        if isMissing {
            try FileManager.default.removeItem(atPath: left.path)
        } else {
            try Data().write(to: URL(fileURLWithPath: left.path))
        }
        guard case .corrupt = #expect(throws: StorageError.self, performing: { try left.open() }) else {
            throw Missing(id: "corrupt")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: left.path + "-wal")) == log)
        try contents.write(to: URL(fileURLWithPath: left.path))
        #expect(try await left.open().session("session").replayable.count == 3)
        await journal.closed()
    }

    @Test("may be empty, and gets private permissions")
    func emptyFileBecomesAPrivateDatabase() async throws {
        let file = try JournalFile()
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        let journal = try file.open()
        await journal.create(Step.session()).awaitDurable()
        for suffix in ["", "-wal", "-shm", "-lock"] { #expect(try file.mode(suffix) == 0o600) }
        await journal.closed()
    }
}
