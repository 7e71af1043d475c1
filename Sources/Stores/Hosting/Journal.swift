/// Keeps what sessions committed: the port between a server and the place where its history rests.
public protocol Journal: Sendable {
    /// Makes room for a new session's commits, which go when it is forgotten.
    func open(_ session: String) -> any SessionJournal
}

/// The commits of one session, each once and in the order of their revisions.
public protocol SessionJournal: AnyObject, Sendable {
    /// Keeps a commit. It is called inside the store, so it must be quick.
    func append(_ entry: JournalEntry)

    /// The commits behind `revision`, oldest first, `limit` of them at most; nil where the first is no longer kept.
    func entries(after revision: Int, limit: Int) -> [JournalEntry]?
}

/// A commit at rest.
public struct JournalEntry: Sendable {
    /// What was committed.
    public let record: ActionRecord
    /// When it was made, in milliseconds since 1970-01-01T00:00:00Z.
    public let at: Int

    /// - Parameter at: milliseconds since 1970-01-01T00:00:00Z.
    public init(_ record: ActionRecord, at: Int) {
        self.record = record
        self.at = at
    }
}
