import Dispatch
import Locks
import StoreHosting
import Synchronization

/// Finds the sessions that a damaged index of ids does not find, once after the start.
///
/// Without it such a session would look like one that never existed. It runs in the background; a lookup that finds
/// nothing waits for its result, which takes about a second for a million sessions.
final class IndexCheck: Sendable {
    private let queue = DispatchQueue(label: "journal.check")
    private let missing = Promise<Set<String>>()
    private let isCancelled = Atomic(false)

    /// - Parameters:
    ///   - path: a database that the writer has opened and checked.
    ///   - vfs: the name of SQLite's VFS; nil for the default.
    init(_ path: String, vfs: String?) {
        queue.async { [self] in missing.fulfill(search(path, vfs)) }
    }

    private func search(_ path: String, _ vfs: String?) -> Set<String> {
        guard let connection = try? Connection(path, .read, vfs: vfs) else { return [] }
        return connection.sessionsMissingInIndex { isCancelled.load(ordering: .relaxed) }
    }

    /// Whether a session exists although the index does not find it.
    func isMissing(_ id: String) async -> Bool { await missing.value().contains(id) }

    /// Gives up. The connection is closed then.
    func close() async {
        isCancelled.store(true, ordering: .relaxed)
        _ = await missing.value()
    }
}

extension Connection {
    private static let table = "SELECT number, id FROM sessions NOT INDEXED"
    private static let index = "SELECT number, id FROM sessions INDEXED BY sqlite_autoindex_sessions_1"

    /// Whether the table and the index of ids have the same sessions, and can be read.
    func hasWholeIndex(unless isCancelled: () -> Bool = { false }) -> Bool {
        guard let table = digest(of: Self.table, isCancelled) else { return false }
        return table == digest(of: Self.index, isCancelled)
    }

    /// The ids of sessions whose row exists but is not found by its id.
    ///
    /// - Parameter isCancelled: whether to stop early.
    func sessionsMissingInIndex(unless isCancelled: () -> Bool) -> Set<String> {
        var missing: Set<String> = []
        // The rows that a damaged table still shows are looked up one by one.
        guard !hasWholeIndex(unless: isCancelled), let rows = try? prepare(Self.table),
            let lookup = try? prepare("SELECT number FROM sessions WHERE id = ?")
        else { return [] }
        try? rows.rows(
            { _ in },
            { row in
                let (number, id) = (row.integer(0), row.text(1))
                let found = try? lookup.first({ $0.set(1, text: id) }, { $0.integer(0) })
                if found != number { missing.insert(id) }
                return !isCancelled()
            })
        return missing
    }

    /// The ids in the index, as far as it can be read.
    func indexedSessions() -> [String] {
        var found: [String] = []
        try? prepare(Self.index).rows(
            { _ in },
            { row in
                found.append(row.text(1))
                return true
            })
        return found
    }

    /// A digest of the rows of a query in any order; nil if they cannot be read.
    private func digest(of query: String, _ isCancelled: () -> Bool) -> UInt64? {
        var digest: UInt64 = 0
        do throws(SQLiteError) {
            try prepare(query).rows(
                { _ in },
                { row in
                    digest &+= row.digest(0, 1)
                    return !isCancelled()
                })
        } catch {
            return nil
        }
        return digest
    }
}
