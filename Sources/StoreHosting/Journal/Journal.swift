package import JSON
package import Stores

/// Persists the commits of sessions: the port between a server and its storage.
///
/// Operations on one session take effect in the order of the calls. Functions that may wait are asynchronous, and block no thread
/// meanwhile. Cancelling the task does not end a wait. If there is nothing to wait for, the function returns without suspending
/// the task.
package protocol Journal: Sendable {
    /// Whether sessions can be loaded by a later process.
    var outlivesProcess: Bool { get }

    /// Whether several processes use the same storage at a time.
    var isShared: Bool { get }

    /// A random number, and another one after each process that may have lost commits which were reported as durable: their
    /// revisions are given again. Nil if no crash loses such commits, or if the journal notices it itself.
    var epoch: Int? { get }

    /// The clock that all processes of the storage have in common; nil if each has its own.
    var sharedTime: SharedTime? { get }

    /// Whether writes are likely to succeed now. If not, no new work should be accepted.
    var isAvailable: Bool { get }

    /// At least 32 random bytes that each process that opens the storage finds the same, so that it can read what another one has
    /// sealed for clients; nil if it has none.
    var secret: [UInt8]? { get }

    /// How many sessions are stored and have not ended; 0 if only the server has them.
    var sessionCount: Int { get }

    /// How many transactions were written. One of them may carry the commits of many sessions.
    var transactionCount: Int { get }

    /// How many bytes the storage takes on its device; nil if it has none, or if that is unknown.
    var storageBytes: Int? { get }

    /// How many bytes of them the write-ahead log takes; nil if it has none.
    var walBytes: Int? { get }

    /// Calls `observer` with the duration of each transaction that is written from now on: from the first command to the end
    /// of the sync. It is called on any thread, so it must be quick. A second call replaces the observer.
    func observeTransactions(_ observer: @escaping @Sendable (Duration) -> Void)

    /// Calls `observer` with each later change of the owners of sessions, one event after the other, and at once with
    /// the known nodes. It is called on any thread, so it must be quick. A second call replaces the observer.
    ///
    /// A journal that is not shared has no events.
    func observeOwnership(_ observer: @escaping @Sendable (OwnershipEvent) -> Void)

    /// Creates a session.
    func create(_ session: SessionHeader) -> any SessionJournal

    /// Loads a session, also one that an earlier process created.
    ///
    /// - Parameter subject: of a session that does not belong to it only the header is read, which takes the same time for each session.
    ///   Nil to load whatever is found.
    func load(_ id: String, for subject: Subject?) async throws(JournalError) -> SessionLookup

    /// The permits of a session that has ended, also if its end is not written yet; nil if that is not known.
    ///
    /// A journal that does not outlive the process knows none: the server itself has the sessions.
    func permits(ofEnded id: String) async throws(JournalError) -> FinalPermits?

    /// Lists at most `limit` sessions in the order of their ids, beginning after `id`.
    func list(after id: String?, limit: Int) async throws(JournalError) -> [SessionSummary]

    /// Lists sessions by the index of their last use, the most recent first, beginning behind `place`: about `limit` of them.
    ///
    /// The index may lag by ``SessionUse/lag``. A journal that does not outlive the process lists none: its sessions are in memory.
    func uses(after place: SessionUses.Place, limit: Int) async throws(JournalError) -> SessionUses

    /// Reads the summaries of some sessions, in no order, as far as they are stored and intact.
    ///
    /// A journal that does not outlive the process has none.
    func summaries(of ids: [String]) async throws(JournalError) -> [SessionSummary]

    /// Finds the id of a subject's personal session of a kind, if there is one that has not ended; see
    /// ``SessionHeader/isPersonal``.
    ///
    /// A journal that does not outlive the process finds none: the server itself has the sessions.
    func personalSession(of owner: Subject, kind: String) async throws(JournalError) -> String?

    /// Lists at most `limit` sessions that a subject owns or is a member of, in the order of their ids, beginning after `id`.
    ///
    /// A session that the subject has left a moment ago may be among them. A journal that does not outlive the process lists none: its
    /// sessions are in memory.
    ///
    /// - Parameter role: nil for both.
    func sessions(
        of subject: Subject, as role: SessionRole?, after id: String?, limit: Int
    ) async throws(JournalError) -> [SessionSummary]

    /// Reads the newest state of a session without loading it; nil if there is no such session.
    ///
    /// A journal that does not outlive the process finds none.
    func newestState(of id: String) async throws(JournalError) -> StoredState?

    /// Adds what the index of ``sessions(of:as:after:limit:)`` lacks of a session, as long as it is at this revision. It returns when that is
    /// written.
    ///
    /// - Parameter members: those of the state at the revision; nil if the kind names none.
    func index(_ members: [ActorID]?, of id: String, at revision: Int) async throws(JournalError)

    /// Whether an earlier release may have created sessions whose owners are not in the index.
    var mayLackOwners: Bool { get }

    /// Records that the index has the owners of all sessions, for this process and later ones.
    func recordIndexedOwners()

    /// Finds the ids of at most `limit` sessions that were last used before `moment`, in session time, and have no timer that is
    /// to fire.
    func idleSessions(before moment: Int, limit: Int) async throws(JournalError) -> [String]

    /// Finds sessions that were created before `moment` and never used, among the `limit` sessions that were last used first since
    /// `start`. So a caller that continues where the last search ended looks at each session once.
    ///
    /// A journal that does not outlive the process finds none: its sessions are in memory.
    ///
    /// - Parameters:
    ///   - start: in session time: 0 at first, then ``UnusedSessions/next`` of the last search.
    ///   - moment: in session time.
    ///   - limit: how many sessions are looked at.
    func unusedSessions(from start: Int, before moment: Int, limit: Int) async throws(JournalError) -> UnusedSessions

    /// Finds at most `limit` sessions whose next timer is due at `moment`, in the order of their deadlines and ids.
    ///
    /// A journal that does not outlive the process finds none: its sessions are in memory with their timers.
    ///
    /// - Parameters:
    ///   - last: the sessions begin after this one; nil for the first.
    ///   - moment: milliseconds since 1970.
    ///   - limit: how many sessions are enough.
    func dueSessions(after last: DueSession?, until moment: Int, limit: Int) async throws(JournalError) -> [DueSession]

    /// Reads the newest states of some sessions without loading them: at most `count` of each kind, among the 10 000 that were used last
    /// or that are found first. A session that is damaged is left out.
    ///
    /// A journal that does not outlive the process finds none.
    func sample(_ count: Int) async throws(JournalError) -> [StoredState]

    /// The newest reference of the session time that an earlier process recorded; nil if there is none.
    var timeReference: SessionTimeReference? { get }

    /// Replaces the reference of the session time. It may be persisted a little later.
    func record(_ reference: SessionTimeReference)

    /// Goes by this session time from now on: by it idempotency records and ended sessions are forgotten, so that nothing is
    /// forgotten too early because somebody sets the wall clock.
    ///
    /// - Parameter now: the current session time in milliseconds. Any thread may call it.
    func useSessionTime(_ now: @escaping @Sendable () -> Int)

    /// Ends a session of which no ``SessionJournal`` is in use.
    ///
    /// - Parameters:
    ///   - id: the session's.
    ///   - moment: in session time. The journal remembers for an hour at least that the session existed.
    func end(_ id: String, at moment: Int)

    /// Ends a session like ``end(_:at:)``, but only if no process has used it since it was created.
    ///
    /// - Parameters:
    ///   - id: the session's.
    ///   - createdAt: when it was created, in session time.
    ///   - moment: in session time.
    func endUnused(_ id: String, createdAt: Int, at moment: Int)

    /// Writes everything that was appended, and releases the storage. No call may follow.
    func close() async
}

extension Journal {
    /// Loads a session, whoever it belongs to.
    package func load(_ id: String) async throws(JournalError) -> SessionLookup { try await load(id, for: nil) }

    package func permits(ofEnded id: String) async throws(JournalError) -> FinalPermits? { nil }

    package var sharedTime: SharedTime? { nil }

    package var secret: [UInt8]? { nil }

    package var storageBytes: Int? { nil }

    package var walBytes: Int? { nil }

    package func observeTransactions(_ observer: @escaping @Sendable (Duration) -> Void) {}

    package func observeOwnership(_ observer: @escaping @Sendable (OwnershipEvent) -> Void) {}

    package func dueSessions(
        after last: DueSession?, until moment: Int, limit: Int
    ) async throws(JournalError) -> [DueSession] { [] }

    package func unusedSessions(
        from start: Int, before moment: Int, limit: Int
    ) async throws(JournalError) -> UnusedSessions { UnusedSessions([], next: moment) }

    package func sample(_ count: Int) async throws(JournalError) -> [StoredState] { [] }

    package func sessions(
        of subject: Subject, as role: SessionRole?, after id: String?, limit: Int
    ) async throws(JournalError) -> [SessionSummary] { [] }

    package func uses(after place: SessionUses.Place, limit: Int) async throws(JournalError) -> SessionUses {
        SessionUses([], next: nil)
    }

    package func summaries(of ids: [String]) async throws(JournalError) -> [SessionSummary] { [] }

    package func newestState(of id: String) async throws(JournalError) -> StoredState? { nil }

    package func index(_ members: [ActorID]?, of id: String, at revision: Int) async throws(JournalError) {}

    package var mayLackOwners: Bool { false }

    package func recordIndexedOwners() {}

    package func endUnused(_ id: String, createdAt: Int, at moment: Int) { end(id, at: moment) }

    package var timeReference: SessionTimeReference? { nil }

    package func record(_ reference: SessionTimeReference) {}

    package func useSessionTime(_ now: @escaping @Sendable () -> Int) {}
}

/// The newest state of a stored session.
package struct StoredState: Sendable {
    /// The session.
    package let header: SessionHeader
    /// The revision of the state.
    package let revision: Int
    private let replayable: ReplayableState

    /// The newest state of a session.
    package init(_ header: SessionHeader, revision: Int, _ replayable: ReplayableState) {
        self.header = header
        self.revision = revision
        self.replayable = replayable
    }

    /// Makes the state; nil if a patch does not fit, which means that the data is damaged.
    package func snapshot() -> StateSnapshot? { replayable.snapshot(initial: header.initial) }
}

/// A change of the owners of sessions, in a journal that several processes share.
package enum OwnershipEvent: Sendable, Equatable {
    /// Every session that this process has in memory may belong to another one: drop them all. It is not repeated until this
    /// process can claim sessions again.
    case lost
    /// The addresses of the nodes whose leases hold, with that of this one if its lease holds.
    case nodes(Set<String>)
}

/// The commits of one session.
///
/// At most one per session is in use at a time. After it is released, the journal can load the session again.
package protocol SessionJournal: CommitRecorder {
    /// Whether a transaction could not be persisted. This journal persists nothing after that; the session has to be
    /// loaded again.
    var hasFailed: Bool { get }

    /// The commits after `revision` that are in memory, oldest first and at most `limit`; nil if the first of them is
    /// not.
    func bufferedCommits(after revision: Int, limit: Int) -> [CommitRecord]?

    /// The commits after `revision`, oldest first and at most `limit`; nil if the first of them was deleted by
    /// retention. Long commits are returned in smaller portions, of one at least: only an empty array is the end.
    func commits(after revision: Int, limit: Int) async throws(JournalError) -> [CommitRecord]?

    /// The revision of the oldest commit that retention has not deleted: 1 if it has deleted none.
    func oldestRevision() async throws(JournalError) -> Int

    /// The data from which the state at `revision` is replayed; nil if retention has deleted it.
    ///
    /// - Parameter revision: not beyond the newest commit.
    func replayBase(for revision: Int) async throws(JournalError) -> ReplayableState?

    /// Records when the session was last used. It may be persisted a little later.
    ///
    /// - Parameters:
    ///   - moment: in session time.
    ///   - interval: milliseconds for which later uses are not recorded.
    func recordUse(at moment: Int, every interval: Int)

    /// Persists a change of the session's permits, like a transaction: it counts for
    /// ``CommitRecorder/whenDurable(through:notify:)``.
    func record(_ change: PermitChange)

    /// Makes the index of members that of the newest state, like a transaction: it counts for
    /// ``CommitRecorder/whenDurable(through:notify:)``. Commits change it from then on; see ``CommitTransaction/members``.
    ///
    /// It is for a new session, and for one that was loaded: another program may have written its commits.
    func index(_ members: [ActorID])

    /// Ends the session and deletes its commits. The journal remembers for an hour at least that the session existed.
    ///
    /// - Parameter moment: in session time.
    func end(at moment: Int)

    /// Gives the session to whichever process loads it next. This journal persists nothing after that.
    ///
    /// - Throws: the reason if the session is not known to be free.
    func release() async throws(JournalError)
}

/// How a session belongs to a subject.
package enum SessionRole: String, Sendable, CaseIterable {
    /// The subject has created it.
    case owner
    /// The state names the subject; see ``Members``.
    case member
}

extension SessionJournal {
    package func index(_ members: [ActorID]) {}

    package func release() async throws(JournalError) { throw .unavailable("no other process uses the storage") }
}

/// Why something was not persisted, or could not be read.
@usableFromInline
package enum JournalError: Error, Sendable, Equatable {
    /// The storage cannot be written or read now.
    case unavailable(String)
    /// Another writer has committed in the meantime.
    case conflict
    /// It may be persisted or not: the storage has not answered, or the session belongs to another process meanwhile.
    case outcomeUnknown(String)
    /// Stored data is damaged: a checksum differs. The owner is that of the session, if it can still be read and there is one.
    case corrupt(String, owner: Subject? = nil)

    /// This error with the owner of the session, if stored data is damaged; otherwise this error as it is.
    package func of(owner: Subject?) -> JournalError {
        if case .corrupt(let detail, _) = self { .corrupt(detail, owner: owner) } else { self }
    }
}
