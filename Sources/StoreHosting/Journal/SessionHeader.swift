public import JSON

/// The constant properties of a session.
public struct SessionHeader: Sendable, Equatable {
    /// The id in its address.
    public let id: String
    /// The name of its store's kind.
    public let kind: String
    /// The version of the kind's state that ``initial`` is encoded in.
    public let schema: Int
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let createdAt: Int
    /// The revision of another session from which it was forked; nil if it is no fork.
    public let forkedFrom: Int?
    /// Identifies its history of revisions in event ids; letters and digits.
    public let historyID: String
    /// The state at revision 0.
    public let initial: StateSnapshot

    /// The header of a new session.
    public init(
        id: String, kind: String, schema: Int, createdAt: Int, forkedFrom: Int?, historyID: String,
        initial: StateSnapshot
    ) {
        self.id = id
        self.kind = kind
        self.schema = schema
        self.createdAt = createdAt
        self.forkedFrom = forkedFrom
        self.historyID = historyID
        self.initial = initial
    }
}

/// A persisted state: the part that clients see, and the private part.
public struct StateSnapshot: Sendable, Equatable {
    /// The part that clients see, as JSON.
    public var json: [UInt8]
    /// The private part as JSON, its secrets sealed; nil if there is none.
    public var privateState: [UInt8]?

    /// A persisted state.
    public init(json: [UInt8], privateState: [UInt8]? = nil) {
        self.json = json
        self.privateState = privateState
    }
}

/// A stored session, in short.
public struct SessionSummary: Sendable, Equatable {
    /// The constant properties of the session.
    public let record: SessionHeader
    /// Its newest revision.
    public let revision: Int
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let lastActiveAt: Int

    /// The summary of a session.
    public init(record: SessionHeader, revision: Int, lastActiveAt: Int) {
        self.record = record
        self.revision = revision
        self.lastActiveAt = lastActiveAt
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
    case ended
    /// A session: its newest state, the idempotency records that are still valid, and the journal of what follows.
    case session(SessionSummary, ReplayableState, [IdempotencyRecord], any SessionJournal)
}

/// The response to a request with an idempotency key.
public struct IdempotencyRecord: Sendable, Equatable {
    /// The idempotency key that the client gave.
    public let key: String
    /// A hash of the request, which tells it from another with the same key.
    public let fingerprint: UInt64
    /// The serialized response, opaque to the journal.
    public let answer: [UInt8]
    /// When the response was made, in milliseconds since 1970-01-01T00:00:00Z.
    public let at: Int

    /// The response to the request with that key and fingerprint.
    public init(key: String, fingerprint: UInt64, answer: [UInt8], at: Int) {
        self.key = key
        self.fingerprint = fingerprint
        self.answer = answer
        self.at = at
    }
}

/// The data from which an earlier state is replayed: a snapshot, and the patches of the commits after it.
public struct ReplayableState: Sendable {
    /// The snapshot as JSON; nil for the state at revision 0, which the caller has.
    public let snapshot: [UInt8]?
    /// The JSON Patches (RFC 6902) of the commits after the snapshot, in UTF-8. They are parsed only when the state is
    /// made.
    public let patches: [[UInt8]]
    /// The private state as JSON, its secrets sealed; nil if it is as at revision 0.
    public let privateState: [UInt8]?

    /// A state that is made from `snapshot` and `patches`.
    public init(snapshot: [UInt8]?, patches: [[UInt8]], privateState: [UInt8]?) {
        self.snapshot = snapshot
        self.patches = patches
        self.privateState = privateState
    }

    /// Makes the state; nil if a patch does not fit, which means that the data is damaged.
    ///
    /// - Parameter initial: the state at revision 0, as JSON.
    public func state(initial: [UInt8]) -> JSONValue? {
        do {
            var state = try JSONValue(parsing: snapshot ?? initial, maximumDepth: JSONValue.maxDepth)
            for patch in patches {
                let json = try JSONValue(parsing: patch, maximumDepth: JSONValue.maxDepth)
                try JSONPatch(json).apply(to: &state)
            }
            return state
        } catch {
            return nil
        }
    }
}
