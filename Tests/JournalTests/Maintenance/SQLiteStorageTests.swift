import CSQLite
import Foundation
import Journal
import StoreHosting
import Stores
import Testing

@Suite("Maintenance of a database")
struct SQLiteStorageTests {
    /// The content of the file that most tests change a copy of.
    private static let template = Task {
        let file = try await make()
        return try Data(contentsOf: URL(filePath: file.path))
    }

    /// A closed file with two sessions, each with 700 commits.
    private func file() async throws -> JournalFile {
        let file = try JournalFile()
        try await Self.template.value.write(to: URL(filePath: file.path))
        return file
    }

    /// A closed file with this number of sessions, each with `steps` commits.
    private static func make(_ sessions: Int = 2, steps: Int = 700, keepCommits: Int = 1000) async throws -> JournalFile
    {
        let file = try JournalFile()
        let journal = try file.open(keepCommits: keepCommits)
        for number in 0..<sessions {
            let session = journal.create(Step.session("s\(number)"))
            Step.store(session).step(steps)
            await session.awaitDurable()
        }
        await journal.closed()
        return file
    }

    @Test("verify finds no problems in an intact file, even while it is in use")
    func verifiesIntactFile() async throws {
        let file = try await file()
        let journal = try file.open()
        let found = try SQLiteStorage.verify(file.path)
        #expect(found.problems.isEmpty && found.sessions == 2 && found.commits == 1400)
        await journal.closed()
    }

    @Test("the deletion of a session that is not there leaves a backup and an older file as they are")
    func anUnknownSessionChangesNothing() async throws {
        let (file, copy) = (try await file(), try JournalFile())
        try SQLiteStorage.backup(file.path, to: copy.path)
        for file in [copy, try file.older(3, hasLog: false)] {
            let bytes = try Data(contentsOf: URL(filePath: file.path))
            let error = #expect(throws: StorageError.self) {
                try SQLiteStorage.deleteSession("none", from: file.path)
            }
            #expect(error == .refused("\(file.path) has no session none"))
            #expect(try Data(contentsOf: URL(filePath: file.path)) == bytes)
        }
    }

    @Test(
        "finds what was changed by somebody else, and names the session",
        arguments: [
            "UPDATE commits SET at = at + 1 WHERE session = 1 AND revision = 3",
            "UPDATE commits SET type = 'stop' WHERE session = 1 AND revision = 700",
            "UPDATE commits SET cause = 1 WHERE session = 1 AND revision = 600",
            "DELETE FROM commits WHERE session = 1 AND revision = 300",
            "UPDATE segments SET first_at = 1 WHERE session = 1 AND first = 1",
            "UPDATE segments SET last_at = last_at + 1 WHERE session = 1 AND first = 1",
            "UPDATE segments SET first = 2 WHERE session = 1 AND first = 1",
            "UPDATE segments SET last = last - 1 WHERE session = 1 AND last = 700",
            "UPDATE segments SET commits = substr(commits, 2) WHERE session = 1 AND first = 1",
            "UPDATE segments SET commits = x'' WHERE session = 1 AND first = 1",
            "DELETE FROM segments WHERE session = 1 AND last = 700",
            "UPDATE snapshots SET state = '{}' WHERE session = 1",
            "UPDATE sessions SET kind = 'other' WHERE number = 1", "UPDATE sessions SET initial = 7 WHERE number = 1",
            "UPDATE sessions SET last_active = 1 WHERE number = 1", "UPDATE sessions SET ended = 0 WHERE number = 1",
            "UPDATE sessions SET due = 1 WHERE number = 1", "UPDATE sessions SET newest = 699 WHERE number = 1",
        ])
    func reportsChangedRows(statement: String) async throws {
        let file = try await file()
        try file.change(statement)
        let found = try SQLiteStorage.verify(file.path)
        #expect(found.problems.count == 1)
        #expect(found.problems.first?.hasPrefix("session s0: ") == true)
        let journal = try file.open()
        #expect(try await journal.session("s1").replayable.count == 700)
    }

    @Test(
        "verify distinguishes missing commits from deleted ones",
        arguments: [
            "DELETE FROM commits WHERE session = 1 AND revision = cut + 1",
            "DELETE FROM commits WHERE session = 1 AND revision = 90",
            "DELETE FROM commits WHERE session = 1 AND revision <= 90",
            "UPDATE sessions SET cut = cut + 1 WHERE number = 1", "UPDATE sessions SET cut = -1 WHERE number = 1",
            "UPDATE sessions SET cut = 100 WHERE number = 1",
        ], [16, 1000])
    func reportsMissingCommits(statement: String, keepCommits: Int) async throws {
        let file = try await Self.make(1, steps: 100, keepCommits: keepCommits)
        let cut = try file.number("SELECT cut FROM sessions")
        #expect(cut == (keepCommits == 16 ? 64 : 0))
        let known = try SQLiteStorage.verify(file.path)
        #expect(known.problems.isEmpty && known.commits == 100 - cut)
        try file.changeAndSeal(statement.replacing("= cut + 1", with: "= \(cut + 1)"))
        let found = try SQLiteStorage.verify(file.path)
        #expect(found.problems.count == 1)
        #expect(found.problems.first?.hasPrefix("session s0: ") == true)
    }

    @Test("verify reports commits that should have been deleted", arguments: [0, 63])
    func reportsUndeletedCommits(cut: Int) async throws {
        let file = try await Self.make(1, steps: 100, keepCommits: 16)
        try file.changeAndSeal("UPDATE sessions SET cut = \(cut)")
        #expect(try SQLiteStorage.verify(file.path).problems.count == 1)
    }

    @Test("verify accepts an interrupted compaction, which continues later")
    func acceptsInterruptedCompaction() async throws {
        let file = try await file()
        let next = try file.number("SELECT min(revision) FROM snapshots WHERE session = 1 AND revision >= 200")
        #expect(next > 201)
        try file.changeAndSeal(
            """
            DELETE FROM commits WHERE session = 1 AND revision <= 200;
            UPDATE sessions SET cut = 200, bytes = NULL WHERE number = 1
            """)
        let found = try SQLiteStorage.verify(file.path)
        #expect(found.problems.isEmpty && found.commits == 1200)
        let journal = try file.open(keepCommits: 100)
        let session = try await journal.session("s0").journal
        for revision in [64, 199, 200, next - 1] { #expect(try await session.replayBase(for: revision) == nil) }
        #expect(try await session.replayBase(for: next)?.count == next)
        #expect(try await session.commits(after: 199) == nil)
        #expect(try await session.commits(after: 200)?.count == 500)
        Step.store(session, from: 700).step()
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        let cut = try file.number("SELECT cut FROM sessions WHERE number = 1")
        #expect(cut >= 500 && cut <= 601)
        #expect(try file.number("SELECT count(*) FROM commits WHERE session = 1") == 701 - cut)
        #expect(try file.number("SELECT min(revision) FROM snapshots WHERE session = 1") == cut)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("verify finds damaged pages")
    func reportsDamagedPages() async throws {
        let file = try await file()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
        let size = try handle.seekToEnd()
        for page in 4..<(size / 4096) {
            try handle.seek(toOffset: page * 4096)
            try handle.write(contentsOf: Data(repeating: 0xff, count: 64))
        }
        try handle.close()
        #expect(try !SQLiteStorage.verify(file.path).problems.isEmpty)
    }

    @Test("intact sessions of a file with damaged pages can be exported")
    func exportsIntactSessions() async throws {
        let file = try await Self.make(4)
        // Without the unused pages, all pages with commits belong to segments.
        try file.change("VACUUM")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
        let pages = stride(from: 0, to: bytes.count, by: 4096).filter { page in
            bytes[page..<page + 4096].firstRange(of: Data("client".utf8)) != nil
        }
        let page = try #require(pages.dropFirst(pages.count / 2).first)
        bytes.replaceSubrange(page..<page + 4096, with: repeatElement(0xff, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: file.path))
        let found = try SQLiteStorage.verify(file.path)
        let whole = (0..<4).filter { number in !found.problems.contains { $0.hasPrefix("session s\(number): ") } }
        #expect((1...3).contains(whole.count) && found.sessions == 4)
        #expect(found.damagedSessions == 4 - whole.count && found.commits == 700 * whole.count)
        for number in whole { #expect(try !SQLiteStorage.export("s\(number)", from: file.path).isEmpty) }
        #expect((0..<4).contains { (try? SQLiteStorage.export("s\($0)", from: file.path)) == nil })
    }

    @Test("backs up a database that is in use, and never replaces a file")
    func backsUpWhileInUse() async throws {
        let (file, other) = (try await file(), try JournalFile())
        let journal = try file.open()
        let store = Step.store(try await journal.session("s1").journal, from: 700)
        store.step(5)
        #expect(try await journal.session("s1").summary.revision == 705)
        try SQLiteStorage.backup(file.path, to: other.path)
        #expect(throws: StorageError.self) { try SQLiteStorage.backup(file.path, to: other.path) }
        #expect(try SQLiteStorage.verify(other.path).commits == 1405)
        #expect(try await other.open().session("s1").replayable.count == 705)
        #expect(try other.mode() == 0o600)
    }

    @Test("an incomplete backup has another name")
    func interruptedBackupKeepsItsOwnName() async throws {
        let (file, other) = (try await file(), try JournalFile())
        // As a kill leaves them.
        for suffix in [".part", ".part-journal"] { try Data("left".utf8).write(to: URL(filePath: other.path + suffix)) }
        try SQLiteStorage.backup(file.path, to: other.path)
        #expect(try SQLiteStorage.verify(other.path).problems.isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: other.directory.path).sorted()
        #expect(names == ["storehouse.db", "storehouse.db.part", "storehouse.db.part-journal"])
        let none = other.path + "/none/copy.db"
        #expect(throws: StorageError.self) { try SQLiteStorage.backup(file.path, to: none) }
    }

    @Test("a restored backup gets one new history")
    func restoredBackupHasNewHistory() async throws {
        let (file, other) = (try await file(), try JournalFile())
        let known = try await file.open().session("s1").summary.header.historyID
        try SQLiteStorage.backup(file.path, to: other.path)
        var seen: Set<String> = []
        for _ in 1...2 {
            let journal = try other.open()
            seen.insert(try await journal.session("s1").summary.header.historyID)
            await journal.closed()
        }
        #expect(seen.count == 1 && !seen.contains(known))
        // A session that began in the copy belongs to no other file, so it keeps its history.
        let journal = try other.open()
        await journal.create(Step.session("new")).awaitDurable()
        await journal.closed()
        #expect(try await other.open().session("new").summary.header.historyID == Step.session("new").historyID)
    }

    @Test("imports an exported session with all retained commits", arguments: [1000, 50])
    func importsExportedSession(keepCommits: Int) async throws {
        let (file, other) = (try await Self.make(keepCommits: keepCommits), try JournalFile())
        let document = try SQLiteStorage.export("s1", from: file.path)
        var progress: [StorageProgress] = []
        #expect(
            try SQLiteStorage.insert(document, into: other.path, as: nil, progress: { progress.append($0) }) == "s1")
        let count = try #require(progress.first?.total)
        for work in [StorageProgress.Work.checkingCommits, .writingCommits] {
            #expect(progress.filter { $0.work == work } == (0..<count).map { StorageProgress(work, $0, of: count) })
        }
        #expect(throws: StorageError.self) { try SQLiteStorage.insert(document, into: other.path, as: nil) }
        #expect(try SQLiteStorage.insert(document, into: other.path, as: "new") == "new")
        #expect(try SQLiteStorage.verify(other.path).problems.isEmpty)
        #expect(try withoutHistory(SQLiteStorage.export("s1", from: other.path)) == withoutHistory(document))
        let journal = try other.open()
        var histories = [Step.session().historyID]
        for id in ["s1", "new"] {
            let found = try await journal.session(id)
            // The exported session may have gone on to other states with the same revisions.
            #expect(!histories.contains(found.summary.header.historyID))
            histories.append(found.summary.header.historyID)
            #expect(found.replayable.count == 700 && found.summary.revision == 700)
            Step.store(found.journal, from: 700).step()
            #expect(await found.journal.awaitDurable() == nil)
        }
        #expect(throws: StorageError.inUse(path: other.path)) {
            try SQLiteStorage.insert(document, into: other.path, as: "third")
        }
    }

    @Test(
        "imports nothing that is no exported session",
        arguments: ["", "{}", "[1]", #"{"format":"storehouse-session"}"#])
    func rejectsMalformedDocuments(document: String) throws {
        let file = try JournalFile()
        #expect(throws: StorageError.self) {
            try SQLiteStorage.insert(Array(document.utf8), into: file.path, as: nil)
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
