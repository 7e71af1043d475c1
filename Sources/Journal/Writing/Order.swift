import Stores

/// What the writer is asked to do, in the order in which it is asked.
enum Order: Sendable {
    /// Begins a session.
    case begin(SQLiteSessionJournal, SessionRecord)
    /// Keeps what a session has committed.
    case keep(SQLiteSessionJournal, Unit)
    /// Ends a session, whose journal is nil where none is held.
    case end(SQLiteSessionJournal?, id: String, at: Int)
    /// Calls back when all before it is written, or is known not to be.
    case barrier(@Sendable () -> Void)

    /// The session that it is about.
    var journal: SQLiteSessionJournal? {
        switch self {
        case .begin(let journal, _), .keep(let journal, _): journal
        case .end(let journal, _, _): journal
        case .barrier: nil
        }
    }

    /// About how many bytes it takes to write.
    var extent: Int {
        switch self {
        case .begin(_, let session): 256 + session.initial.json.count
        case .keep(_, let unit): unit.extent
        case .end, .barrier: 64
        }
    }
}
