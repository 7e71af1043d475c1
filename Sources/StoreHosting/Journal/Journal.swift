/// Keeps what sessions committed: the port between a server and the place where its history rests.
///
/// What it is given is kept in that order, session by session. Completions are called once, on any thread: before the method
/// returns where nothing has to be awaited, and never while a lock of the journal is held.
public protocol Journal: Sendable {
    /// Whether a later process finds the sessions again.
    var outlivesProcess: Bool { get }

    /// Whether several processes may serve the same sessions.
    var isShared: Bool { get }

    /// Whether a crash may lose commits that were acknowledged as durable, so that their revisions are given again.
    var mayLoseCommits: Bool { get }

    /// Whether what is given to it now is likely to be kept. Where not, nothing new should be begun.
    var isAvailable: Bool { get }

    /// How many sessions it keeps that have not ended and are not held by the server alone.
    var sessionCount: Int { get }

    /// How often it has written, with one sync each where that is promised: all that waits goes at once.
    var transactionCount: Int { get }

    /// Begins the history of a new session.
    func begin(_ session: SessionHeader) -> any SessionJournal

    /// Finds a session that was begun earlier, also by an earlier process.
    func find(_ id: String, done: @escaping @Sendable (Result<SessionLookup, JournalError>) -> Void)

    /// The sessions behind `id` in the order of their ids, `limit` of them at most.
    func list(
        after id: String?, limit: Int, done: @escaping @Sendable (Result<[SessionSummary], JournalError>) -> Void)

    /// The ids of sessions that were last used before a moment, `limit` of them at most.
    func idle(since moment: Int, limit: Int, done: @escaping @Sendable (Result<[String], JournalError>) -> Void)

    /// Ends a session that no ``SessionJournal`` is held of.
    ///
    /// - Parameters:
    ///   - id: the session's.
    ///   - moment: milliseconds since 1970; it is remembered for an hour at least.
    func end(_ id: String, at moment: Int)

    /// Keeps what waits, and lets go of the place; nothing is given to it from then on.
    func close(done: @escaping @Sendable () -> Void)
}

/// The commits of one session at rest.
///
/// One is held of a session at a time. When one is let go, the session can be found again by its journal.
public protocol SessionJournal: CommitRecorder {
    /// Keeps the answer to a request that may come again: with the records that await it, in one piece, or by itself.
    func keep(_ answer: IdempotencyRecord)

    /// Calls `done` when all that it was given so far is kept, or is known not to be: nothing behind that is kept either, and
    /// what the store holds in memory is not the session's state any more.
    func whenDurable(_ done: @escaping @Sendable (JournalError?) -> Void)

    /// Whether all that it was given is kept, and everybody has been told who waits for that: completions of
    /// ``whenDurable(_:)`` are called in the order in which they were given, also by one that comes while they are called.
    var isDurable: Bool { get }

    /// Whether something was not kept. The session has to be found again then: nothing more is kept by this one.
    var hasFailed: Bool { get }

    /// The commits behind `revision` that are at hand without waiting; nil where the first is not, or no longer kept.
    func recent(after revision: Int, limit: Int) -> [CommitRecord]?

    /// The commits behind `revision`, oldest first, `limit` of them at most; nil where the first is no longer kept.
    func entries(
        after revision: Int, limit: Int, done: @escaping @Sendable (Result<[CommitRecord]?, JournalError>) -> Void)

    /// From where the state at `revision`, which is not beyond the newest commit, can be made again; nil where that is no
    /// longer kept.
    func past(_ revision: Int, done: @escaping @Sendable (Result<ReplayableState?, JournalError>) -> Void)

    /// Notes when the session was used, which may be kept a little later.
    func touch(_ moment: Int)

    /// Ends the session; its commits and answers are forgotten, and that it has been is remembered for an hour at least.
    func end(at moment: Int)
}

/// Why something was not kept, or could not be read.
public enum JournalError: Error, Sendable, Equatable {
    /// The place where it rests cannot be written or read now.
    case unavailable(String)
    /// Somebody else has committed meanwhile.
    case conflict
    /// What is kept cannot be right: a checksum differs.
    case corrupt(String)
}
