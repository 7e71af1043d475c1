import CFaultyDisk
import Foundation
import Journal
import Testing

@Suite("The reason why a file cannot be used")
struct StorageErrorTests {
    private func advice(_ body: () throws -> Void) throws -> Substring {
        let error = #expect(throws: StorageError.self) { try body() }
        let text = try #require(error).description
        return text[(try #require(text.firstIndex(of: ";")))...]
    }

    @Test("has the advice to create a directory that does not exist")
    func missingDirectory() async throws {
        let file = try JournalFile()
        await (try file.open()).closed()
        let target = file.directory.appending(path: "none/copy.db").path
        #expect(
            try advice { try SQLiteStorage.backup(file.path, to: target) } == "; create it, or pass another path")
    }

    @Test("has the advice to pass the name of a file")
    func noName() async throws {
        let file = try JournalFile()
        await (try file.open()).closed()
        let target = file.directory.path + "/"
        #expect(try advice { try SQLiteStorage.backup(file.path, to: target) } == "; check the path")
    }

    @Test("has the advice to look at the permissions if nobody may write there")
    func permissions() async throws {
        let file = try JournalFile()
        await (try file.open()).closed()
        // Nobody can make a file there.
        let target = "/sys/storehouse-copy.db"
        #expect(
            try advice { try SQLiteStorage.backup(file.path, to: target) }
                == "; check the permissions of the file and its directory")
    }

    @Test("has the advice to look at the space if the disk is full")
    func fullDisk() throws {
        let (file, disk) = (try JournalFile(), try FaultyDisk())
        disk.fail(FAULTY_FULL)
        #expect(try advice { _ = try file.open(vfs: disk.name) } == "; check the free space")
    }
}
