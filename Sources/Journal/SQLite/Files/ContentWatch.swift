import CSQLite
import Locks

/// Watches whether somebody has shortened or overwritten the database or its WAL in place.
///
/// Their names then still lead to the files that are open, and SQLite writes the next commit behind the gap: the file is as long as
/// before, and commits are missing. So the newest commit of the last look must still be there too. What was lost does not come back, so a
/// damage stays one.
final class ContentWatch: Sendable {
    fileprivate struct State {
        /// A connection of its own, because the others are used by other threads. Nil after the end.
        var connection: Connection?
        var last: csqlite_sight?
        /// How many bytes the database has had of those that its pages need. SQLite takes none of them away.
        var size: Int64 = 0
        var damage: String?
    }

    private let path: String
    // Guards the connection, and the result. Taken inside no other lock than the one of the writer's connection.
    private let state: Locked<State>

    /// - Parameters:
    ///   - path: a database that the writer has opened and checked.
    ///   - vfs: the name of SQLite's VFS; nil for the default.
    init(_ path: String, vfs: String?) throws(SQLiteError) {
        self.path = path
        let connection = try Connection(path, .read, vfs: vfs)
        // A connection that has read nothing yet has no WAL.
        _ = try connection.integer("SELECT count(*) FROM meta")
        state = Locked(State(connection: connection))
    }

    /// The damage, if there is one, in words for the log.
    ///
    /// - Parameter isLooking: whether to look, or only to tell the damage that is known.
    func damage(isLooking: Bool) -> String? {
        state.withLock { state in
            if isLooking, state.damage == nil { state.damage = state.look(at: path) }
            return state.damage
        }
    }

    /// Closes the connection. Nothing more is noticed.
    func close() { state.withLock { $0.connection = nil } }
}

extension ContentWatch.State {
    fileprivate mutating func look(at path: String) -> String? {
        var sight = csqlite_sight()
        // If somebody has committed meanwhile, the next look finds it: the writer looks when it does not write.
        guard let connection, csqlite_look(connection.handle, last?.frames ?? 0, &sight) != 0 else { return nil }
        let damage = damage(in: sight)
        size = min(sight.size, sight.pagesEnd)
        last = sight
        return damage.map { path + $0 }
    }

    /// - Returns: the suffix of a file and what is wrong with it; nil if nothing is.
    private func damage(in sight: csqlite_sight) -> String? {
        // Somebody may have removed rows, and then pages, with another program.
        if min(sight.size, sight.pagesEnd) < min(size, sight.pagesEnd) { return " is shorter than it was" }
        if sight.walSize < sight.framesEnd { return "-wal is shorter than it was" }
        guard let last else { return nil }
        if !sight.hasHeader(of: last) { return " was overwritten" }
        guard last.frames > 0, last.salt == sight.salt, sight.frameSalt != sight.salt else { return nil }
        return "-wal was shortened or overwritten"
    }
}

extension csqlite_sight {
    fileprivate func hasHeader(of other: csqlite_sight) -> Bool {
        withUnsafeBytes(of: header) { header in
            withUnsafeBytes(of: other.header) { header.elementsEqual($0) }
        }
    }
}
