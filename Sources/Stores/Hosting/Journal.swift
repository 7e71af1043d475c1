/// Keeps what sessions committed: the port between a server and the place where its history rests.
public protocol Journal: Sendable {
    /// Makes room for a new session's commits, which go when it is forgotten.
    func open(_ session: String) -> any SessionJournal
}

/// The commits of one session at rest.
public protocol SessionJournal: ActionRecorder {
    /// The commits behind `revision`, oldest first, `limit` of them at most; nil where the first is no longer kept.
    func entries(after revision: Int, limit: Int) -> [ActionRecord]?
}
