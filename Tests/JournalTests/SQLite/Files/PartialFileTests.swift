import Foundation
import Journal
import Testing

@Suite("Incomplete copies that killed processes have left behind")
struct PartialFileTests {
    /// A closed database, and another folder.
    private func files() async throws -> (JournalFile, JournalFile) {
        let file = try JournalFile()
        await (try file.open()).closed()
        return (file, try JournalFile())
    }

    private func write(_ names: [String], _ folder: JournalFile) throws {
        for name in names { try Data("left".utf8).write(to: folder.directory.appending(path: name)) }
    }

    private func names(_ folder: JournalFile) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.directory.path).sorted()
    }

    @Test("are deleted by the next backup to that folder, with the files beside them, and nothing else is")
    func areSwept() async throws {
        let (file, folder) = try await files()
        // The second is of a release whose names had no mark.
        try write(
            [
                "yesterday.db.storehouse-3w5e11264sgs.part", "yesterday.db.storehouse-3w5e11264sgs.part-journal",
                "storehouse.db.3w5e11264sgs.part",
            ], folder)
        let others = [
            "film.2024.part", "other.db.3w5e11264sgs.part", "storehouse.db.part", "x.storehouse-3w5e11264sgs",
            "x.storehouse-A.part",
        ]
        try write(others, folder)
        try SQLiteStorage.backup(file.path, to: folder.path)
        #expect(try names(folder) == (others + ["storehouse.db"]).sorted())
    }

    @Test("stay as long as their process lives")
    func aCopyUnderWayStays() async throws {
        let (file, folder) = try await files()
        let name = "storehouse.db.storehouse-3w5e11264sgs.part"
        try write([name], folder)
        let descriptor = open(folder.directory.appending(path: name).path, O_RDWR)
        #expect(flock(descriptor, LOCK_EX) == 0)
        try SQLiteStorage.backup(file.path, to: folder.path)
        #expect(try names(folder) == ["storehouse.db", name])
        close(descriptor)
        try FileManager.default.removeItem(atPath: folder.path)
        try SQLiteStorage.backup(file.path, to: folder.path)
        #expect(try names(folder) == ["storehouse.db"])
    }

    @Test("are not left by a copy that fails")
    func aFailedCopyLeavesNothing() async throws {
        let (file, folder) = try await files()
        try file.change("UPDATE meta SET value = value; PRAGMA user_version = 99")
        #expect(throws: StorageError.self) { try SQLiteStorage.backup(file.path, to: folder.path) }
        try file.change("PRAGMA user_version = 6; DROP TABLE leavings")
        #expect(throws: StorageError.self) { try SQLiteStorage.backup(file.path, to: folder.path) }
        #expect(try names(folder) == [])
    }
}
