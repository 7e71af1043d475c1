public import JSON

/// The constant properties of a session.
public struct SessionHeader: Sendable, Equatable {
    /// The id in its address.
    public let id: String
    /// The name of its store's kind.
    public let kind: String
    /// The version of the kind's state that ``initial`` is encoded in.
    public let schema: Int
    /// Session time in milliseconds; see ``SessionTimeReference``.
    public let createdAt: Int
    /// The revision of another session from which it was forked; nil if it is no fork.
    public let forkedFrom: Int?
    /// Identifies its history of revisions in event ids; letters and digits.
    public let historyID: String
    /// The state at revision 0.
    public let initial: StateSnapshot
    /// The subject that created it; nil if the server knew no subjects.
    public let owner: Subject?
    /// Whether it is the session of its owner and kind that `/sessions/me` names. There is one at most.
    public let isPersonal: Bool

    /// The header of a new session.
    public init(
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
}

/// A stored session, in short.
public struct SessionSummary: Sendable, Equatable {
    /// The constant properties of the session.
    public let header: SessionHeader
    /// Its newest revision.
    public let revision: Int
    /// Session time in milliseconds; see ``SessionTimeReference``.
    public let lastActiveAt: Int
    /// How often its shares were revoked. A share is valid only for the number at which it was made.
    public let shareGeneration: Int
    /// The process that owns it, if several share the journal; nil if none does, or if nobody has asked.
    public let node: String?
    /// When its next timer is due, in milliseconds since 1970; nil if it has none, or if that is not known.
    public let nextDeadline: Int?

    /// The summary of a session.
    public init(
        header: SessionHeader, revision: Int, lastActiveAt: Int, shareGeneration: Int = 0, node: String? = nil,
        nextDeadline: Int? = nil
    ) {
        self.header = header
        self.revision = revision
        self.lastActiveAt = lastActiveAt
        self.shareGeneration = shareGeneration
        self.node = node
        self.nextDeadline = nextDeadline
    }
}

/// A stored session with a timer.
public struct DueSession: Sendable, Equatable {
    /// The id of the session.
    public let id: String
    /// When its next timer is due, in milliseconds since 1970-01-01T00:00:00Z.
    public let deadline: Int

    /// A session whose next timer is due at `deadline`.
    public init(id: String, deadline: Int) {
        self.id = id
        self.deadline = deadline
    }
}

/// Stored sessions that were created and never used.
public struct UnusedSessions: Sendable, Equatable {
    /// A stored session that was created and never used.
    public struct Session: Sendable, Equatable {
        /// The id of the session.
        public let id: String
        /// When it was created, in session time.
        public let createdAt: Int

        /// A session that was created at `createdAt`.
        public init(id: String, createdAt: Int) {
            self.id = id
            self.createdAt = createdAt
        }
    }

    /// The sessions, the oldest first.
    public let sessions: [Session]
    /// Where the next search begins, in session time.
    public let next: Int

    /// Sessions that were found, before a search that begins at `next`.
    public init(_ sessions: [Session], next: Int) {
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
public struct SessionTimeReference: Sendable, Equatable {
    /// The session time in milliseconds.
    public let time: Int
    /// The monotonic clock in milliseconds; it begins when the machine boots.
    public let steady: Int
    /// The wall clock, in milliseconds since 1970-01-01T00:00:00Z.
    public let wall: Int
    /// Identifies the boot to which `steady` belongs; nil if the system does not tell.
    public let boot: UInt64?

    /// A moment that is `time` on the session clock.
    public init(time: Int, steady: Int, wall: Int, boot: UInt64?) {
        self.time = time
        self.steady = steady
        self.wall = wall
        self.boot = boot
    }
}

/// The result of looking up an id in a journal.
public enum SessionLookup: Sendable {
    /// Nothing.
    case unknown
    /// A session that has ended.
    case ended(owner: Subject?)
    /// A session: its newest state, the idempotency records that are still valid, and the journal of the commits that
    /// follow.
    case session(SessionSummary, ReplayableState, [IdempotencyRecord], any SessionJournal)
    /// A session that another process owns, which is reached at an address.
    case elsewhere(String)
}
