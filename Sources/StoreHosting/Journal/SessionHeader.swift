package import JSON

/// The constant properties of a session.
package struct SessionHeader: Sendable, Equatable {
    /// The id in its address.
    package let id: String
    /// The name of its store's kind.
    package let kind: String
    /// The version of the kind's state that ``initial`` is encoded in.
    package let schema: Int
    /// Session time in milliseconds; see ``SessionTimeReference``.
    package let createdAt: Int
    /// The revision of another session from which it was forked; nil if it is no fork.
    package let forkedFrom: Int?
    /// Identifies its history of revisions in event ids; letters and digits.
    package let historyID: String
    /// The state at revision 0.
    package let initial: StateSnapshot
    /// The subject that created it; nil if the server knew no subjects.
    package let owner: Subject?
    /// Whether it is the session of its owner and kind that `/sessions/me` names. There is one at most.
    package let isPersonal: Bool

    /// The header of a new session.
    package init(
        id: String, kind: String, schema: Int, createdAt: Int, forkedFrom: Int?, historyID: String,
        initial: StateSnapshot, owner: Subject? = nil, isPersonal: Bool = false
    ) {
        self.id = id
        self.kind = kind
        self.schema = schema
        self.createdAt = createdAt
        self.forkedFrom = forkedFrom
        self.historyID = historyID
        self.initial = initial
        self.owner = owner
        self.isPersonal = isPersonal
    }

    /// A copy with another history.
    package func renamed(history: String) -> SessionHeader {
        SessionHeader(
            id: id, kind: kind, schema: schema, createdAt: createdAt, forkedFrom: forkedFrom, historyID: history,
            initial: initial, owner: owner, isPersonal: isPersonal)
    }

    /// A copy with another state at revision 0.
    package func beginning(with initial: StateSnapshot) -> SessionHeader {
        SessionHeader(
            id: id, kind: kind, schema: schema, createdAt: createdAt, forkedFrom: forkedFrom, historyID: historyID,
            initial: initial, owner: owner, isPersonal: isPersonal)
    }
}

/// A stored session, in short.
package struct SessionSummary: Sendable, Equatable {
    /// The constant properties of the session.
    package let header: SessionHeader
    /// Its newest revision.
    package let revision: Int
    /// Session time in milliseconds; see ``SessionTimeReference``.
    package let lastActiveAt: Int
    /// How often its shares were revoked. A share is valid only for the number at which it was made.
    package let shareGeneration: Int
    /// Its permits, in no order; empty in lists of sessions.
    package let permits: [PermitRecord]
    /// The records of its clients, in no order; empty in lists of sessions.
    package let clients: [ClientRow]
    /// The process that owns it, if several share the journal; nil if none does, or if nobody has asked.
    package let node: String?
    /// When its next timer is due, in milliseconds since 1970; nil if it has none, or if that is not known.
    package let nextDeadline: Int?

    /// The summary of a session.
    package init(
        header: SessionHeader, revision: Int, lastActiveAt: Int, shareGeneration: Int = 0,
        permits: [PermitRecord] = [], clients: [ClientRow] = [], node: String? = nil, nextDeadline: Int? = nil
    ) {
        self.header = header
        self.revision = revision
        self.lastActiveAt = lastActiveAt
        self.shareGeneration = shareGeneration
        self.permits = permits
        self.clients = clients
        self.node = node
        self.nextDeadline = nextDeadline
    }
}

/// A stored session with a timer.
package struct DueSession: Sendable, Equatable {
    /// The id of the session.
    package let id: String
    /// When its next timer is due, in milliseconds since 1970-01-01T00:00:00Z.
    package let deadline: Int

    /// A session whose next timer is due at `deadline`.
    package init(id: String, deadline: Int) {
        self.id = id
        self.deadline = deadline
    }
}

/// Stored sessions that were created and never used.
package struct UnusedSessions: Sendable, Equatable {
    /// A stored session that was created and never used.
    package struct Session: Sendable, Equatable {
        /// The id of the session.
        package let id: String
        /// When it was created, in session time.
        package let createdAt: Int

        /// A session that was created at `createdAt`.
        package init(id: String, createdAt: Int) {
            self.id = id
            self.createdAt = createdAt
        }
    }

    /// The sessions, the oldest first.
    package let sessions: [Session]
    /// Where the next search begins, in session time.
    package let next: Int

    /// Sessions that were found, before a search that begins at `next`.
    package init(_ sessions: [Session], next: Int) {
        self.sessions = sessions
        self.next = next
    }

    /// The result of a search from `start` to `moment`.
    ///
    /// The next search begins with the oldest unused session, because it may turn out that it cannot be ended now. If there are
    /// more sessions than one search looks at, the next one continues behind them, so that no session can stop it.
    ///
    /// - Parameters:
    ///   - sessions: the unused sessions that may be ended.
    ///   - oldest: when the oldest unused session was created, also if it may not be ended; nil if there is none.
    ///   - last: the last use of the last session that was looked at, if there may be more; nil if there are no more.
    package init(_ sessions: [Session], oldest: Int?, last: Int?, from start: Int, before moment: Int) {
        self.init(sessions, next: last.map { max($0, start + 1) } ?? oldest ?? moment)
    }
}

/// A moment on several clocks, by which a later process continues the session time.
///
/// The session time is the clock by which sessions expire. Unlike the wall clock it never steps.
package struct SessionTimeReference: Sendable, Equatable {
    /// The session time in milliseconds.
    package let time: Int
    /// The monotonic clock in milliseconds; it begins when the machine boots.
    package let steady: Int
    /// The wall clock, in milliseconds since 1970-01-01T00:00:00Z.
    package let wall: Int
    /// Identifies the boot to which `steady` belongs; nil if the system does not tell.
    package let boot: UInt64?

    /// A moment that is `time` on the session clock.
    package init(time: Int, steady: Int, wall: Int, boot: UInt64?) {
        self.time = time
        self.steady = steady
        self.wall = wall
        self.boot = boot
    }
}

/// The result of looking up an id in a journal.
package enum SessionLookup: Sendable {
    /// Nothing.
    case unknown
    /// A session that has ended.
    case ended(owner: Subject?)
    /// A session: its newest state, the idempotency records that are still valid, and the journal of the commits that
    /// follow.
    case session(SessionSummary, ReplayableState, [IdempotencyRecord], any SessionJournal)
    /// A session that another process owns, which is reached at an address.
    case elsewhere(String)
    /// A session of another owner than the subject for which it was to be loaded, or of none. It is as it was.
    case foreign(owner: Subject?, kind: String)
}
