import Foundation
import Journal
import StoreHosting
import Testing

@Suite("A symbolic link in the place of a file")
struct SymbolicLinkTests {
    /// A file of somebody else, to which `place` is a link.
    private func victim(_ file: JournalFile, at place: String) throws -> String {
        let victim = file.directory.appending(path: "victim").path
        try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: victim)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: victim)
        return victim
    }

    private func expectUntouched(_ victim: String) throws {
        #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == Data("precious".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: victim)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o644)
    }

    private func file() async throws -> JournalFile {
        let file = try JournalFile()
        let journal = try file.open()
        await journal.create(Step.session()).awaitDurable()
        await journal.closed()
        return file
    }

    @Test("is not followed by a server", arguments: ["", "-wal", "-shm", "-lock"])
    func openingFollowsNoLink(suffix: String) async throws {
        let file = try await file()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        try? FileManager.default.removeItem(atPath: file.path + suffix)
        let victim = try victim(file, at: file.path + suffix)
        #expect(throws: StorageError.self) { try file.open() }
        #expect(throws: StorageError.self) {
            try SQLiteStorage.insert(try Parcel.document(), into: file.path, as: "other")
        }
        try expectUntouched(victim)
    }

    @Test("is not followed by a backup, and what it names is not deleted", arguments: ["", ".part", ".part-wal"])
    func backupFollowsNoLink(suffix: String) async throws {
        let (file, other) = (try await file(), try JournalFile())
        let victim = try victim(other, at: other.path + suffix)
        if suffix.isEmpty {
            #expect(throws: StorageError.self) { try SQLiteStorage.backup(file.path, to: other.path) }
        } else {
            try SQLiteStorage.backup(file.path, to: other.path)
            #expect(try SQLiteStorage.verify(other.path).sessions == 1)
            #expect(try other.mode() == 0o600)
        }
        try expectUntouched(victim)
        // Nothing else is left behind.
        let names = try FileManager.default.contentsOfDirectory(atPath: other.directory.path)
        #expect(Set(names) == ["victim", "storehouse.db", "storehouse.db" + suffix])
    }

    @Test("is not replaced by a backup, even if it leads nowhere")
    func backupReplacesNoLink() async throws {
        let (file, other) = (try await file(), try JournalFile())
        try FileManager.default.createSymbolicLink(atPath: other.path, withDestinationPath: "/nowhere/at/all")
        #expect(throws: StorageError.self) { try SQLiteStorage.backup(file.path, to: other.path) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: other.path) == "/nowhere/at/all")
    }

    @Test("is followed among the directories of a path")
    func directoriesMayBeLinks() async throws {
        let (file, other) = (try await file(), try JournalFile())
        let link = other.directory.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.directory.path)
        #expect(try SQLiteStorage.verify(link + "/storehouse.db").sessions == 1)
        let journal = try SQLiteJournal(path: link + "/storehouse.db")
        #expect(throws: StorageError.inUse(path: file.path)) { try file.open() }
        await journal.closed()
    }
}
