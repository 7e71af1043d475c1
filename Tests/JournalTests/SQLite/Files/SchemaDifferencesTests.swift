import Foundation
import Journal
import StoreHosting
import Testing

@Suite("A file whose tables, indexes, triggers or views are not those that Storehouse makes")
struct SchemaDifferencesTests {
    private func file() async throws -> JournalFile {
        let file = try JournalFile()
        let journal = try file.open()
        await journal.create(Step.session()).awaitDurable()
        await journal.closed()
        return file
    }

    @Test(
        "is refused by a server and by each command, and is damaged for verify",
        arguments: [
            "CREATE TRIGGER evil AFTER INSERT ON unsorted BEGIN DELETE FROM unsorted; END",
            "CREATE TRIGGER evil AFTER UPDATE ON sessions BEGIN DELETE FROM unsorted; END",
            "CREATE VIEW evil AS SELECT * FROM sessions", "CREATE TABLE evil (data BLOB)",
            "CREATE INDEX evil ON sessions (kind)", "CREATE INDEX evil ON sessions (lower(kind))",
            "DROP TABLE leavings; CREATE VIEW leavings AS SELECT 1 AS session",
            "DROP INDEX sessions_by_use", "ALTER TABLE sessions ADD COLUMN more TEXT",
            "DROP INDEX sessions_by_use; CREATE INDEX sessions_by_use ON sessions (last_active)",
        ])
    func isRefused(statement: String) async throws {
        let (file, copy) = (try await file(), try JournalFile())
        try file.change(statement)
        let before = try Data(contentsOf: URL(filePath: file.path))
        let error = #expect(throws: StorageError.self) { try file.open() }
        guard case .corrupt(_, let detail) = error else { throw Missing(id: "corrupt") }
        #expect(detail.contains("its schema"))
        let found = try SQLiteStorage.verify(file.path)
        #expect(found.problems.contains { $0.hasPrefix("its schema") })
        #expect(throws: StorageError.self) { try SQLiteStorage.backup(file.path, to: copy.path) }
        #expect(throws: StorageError.self) { try SQLiteStorage.export("session", from: file.path) }
        #expect(throws: StorageError.self) { try SQLiteStorage.listSessions(file.path) { _ in } }
        #expect(throws: StorageError.self) { try SQLiteStorage.deleteSession("session", from: file.path) }
        #expect(try Data(contentsOf: URL(filePath: file.path)) == before)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    @Test("has its sessions checked all the same where it only has more")
    func sessionsAreChecked() async throws {
        let file = try await file()
        try file.change("CREATE TRIGGER evil AFTER INSERT ON unsorted BEGIN DELETE FROM unsorted; END")
        let found = try SQLiteStorage.verify(file.path)
        #expect(found.problems.count == 1 && found.sessions == 1 && found.damagedSessions == 0)
    }

    @Test("is shown without the control characters in its names")
    func namesAreHarmless() async throws {
        let file = try await file()
        try file.change("CREATE TABLE \"\u{1b}[31m\" (x)")
        let problems = try SQLiteStorage.verify(file.path).problems
        #expect(!problems.isEmpty && problems.allSatisfy { !$0.contains("\u{1b}") })
    }

    @Test("runs no trigger that somebody adds later, so that an acknowledged commit stays")
    func triggersDoNotRun() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        #expect(await session.awaitDurable() == nil)
        try file.change("CREATE TRIGGER evil AFTER INSERT ON unsorted BEGIN DELETE FROM unsorted; END")
        Step.store(session).step(3)
        #expect(await session.awaitDurable() == nil)
        let copy = try file.copy()
        #expect(try copy.number("SELECT count(*) FROM unsorted") > 0)
        try copy.change("DROP TRIGGER evil")
        #expect(try await copy.open().session("session").replayable.count == 3)
    }

    @Test("may have the statistics of SQLite, and other white space")
    func harmlessDifferencesAreAccepted() async throws {
        let file = try await file()
        try file.change("ANALYZE")
        try file.change(
            """
            DROP INDEX sessions_by_end;
            CREATE INDEX sessions_by_end  ON sessions\n(ended)\tWHERE ended IS  NOT NULL
            """)
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty)
        #expect(try await file.open().session("session").replayable.count == 0)
    }
}
