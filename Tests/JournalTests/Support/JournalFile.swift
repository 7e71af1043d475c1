import CSQLite
import Foundation
import Journal
import Locks
import ProcessTesting
import RedisTesting
import StoreHosting
import Stores

/// A database in a directory of its own, which goes with this.
final class JournalFile: Sendable {
    let directory: URL
    var path: String { directory.appending(path: "storehouse.db").path }

    init() throws {
        directory = URL(filePath: TestDirectory.parent).appending(path: "journal-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func open(
        _ durability: SQLiteJournal.Durability = .full, keepCommits: Int = 1000, keepBytes: Int = 64 << 20,
        keepDays: Int = 0, sorting: SortingPolicy = SortingPolicy(), vfs: String? = nil,
        now: @escaping @Sendable () -> Int = { Step.moment },
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws -> SQLiteJournal {
        // The directory stays as long as the journal does.
        try SQLiteJournal(
            path: path, durability: durability, keepCommits: keepCommits, keepBytes: keepBytes, keepDays: keepDays,
            sorting: sorting, vfs: vfs,
            now: { withExtendedLifetime(self, now) }, report: report)
    }

    /// A copy of the files that a process would leave behind if it ended at this moment.
    func copy() throws -> JournalFile {
        let copy = try JournalFile()
        try DatabaseCopy.make(of: path, at: copy.path)
        return copy
    }
}

extension JournalFile {
    /// The how many-th log stands beside the file, by the log's own head.
    func logNumber() throws -> Int {
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        return log.dropFirst(12).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    struct Refused: Error {}

    /// A connection of its own, which waits while a journal has the file locked.
    private func connection() throws -> OpaquePointer {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle,
            sqlite3_busy_timeout(handle, 120_000) == SQLITE_OK, defineFunctions(on: handle) == SQLITE_OK,
            CommitView.define(on: handle) == SQLITE_OK
        else {
            sqlite3_close(handle)
            throw Refused()
        }
        return handle
    }

    /// Changes the file in a way that no journal does. Statements can use the view `commits`, which has a row for each
    /// commit.
    func change(_ statement: String) throws {
        let handle = try connection()
        defer { sqlite3_close(handle) }
        let usesView = ["FROM commits", "UPDATE commits", "INTO commits"].contains { statement.contains($0) }
        let needsSplit = usesView && CommitView.isDefined(on: handle)
        for statement in (needsSplit ? [CommitView.split] : []) + [statement] {
            guard sqlite3_exec(handle, statement, nil, nil, nil) == SQLITE_OK else { throw Refused() }
        }
    }

    /// Does the same, and makes the seals of all sessions right again.
    func changeAndSeal(_ statement: String) throws {
        try change(
            """
            \(statement);
            UPDATE sessions SET seal = head_checksum(checksum, newest, chain, cut, bytes, due, last_active, shares)
            """)
    }

    /// The number that a query has for its answer.
    func number(_ query: String) throws -> Int {
        let handle = try connection()
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(handle)
        }
        guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
        else { throw Refused() }
        return Int(sqlite3_column_int64(statement, 0))
    }

    /// The texts of a column that a query finds.
    func texts(_ query: String, column: Int32) throws -> [String] {
        let handle = try connection()
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(handle)
        }
        guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK else { throw Refused() }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            texts.append(String(cString: sqlite3_column_text(statement, column)))
        }
        return texts
    }

    /// Runs `body` while somebody reads the file as it is now.
    func reading(_ body: () async throws -> Void) async throws {
        let handle = try connection()
        defer { sqlite3_close(handle) }
        guard sqlite3_exec(handle, "BEGIN; SELECT * FROM sessions", nil, nil, nil) == SQLITE_OK else { throw Refused() }
        try await body()
    }

    /// The permissions of the file, or of the one beside it with this suffix.
    func mode(_ suffix: String = "") throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }
}
