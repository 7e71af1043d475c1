public import JSON

/// A session as it is begun: all of it that never changes.
public struct SessionHeader: Sendable, Equatable {
    /// What it is addressed by.
    public let id: String
    /// The name of its store's kind.
    public let kind: String
    /// The version of its kind's state that `initial` is written in.
    public let schema: Int
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let createdAt: Int
    /// The revision of another session from whose state it began; nil where it is no fork.
    public let forkedFrom: Int?
    /// Names its history of revisions in event ids; letters and digits.
    public let history: String
    /// The state at revision 0.
    public let initial: StateSnapshot

    /// A session as it is begun.
    public init(
        id: String, kind: String, schema: Int, createdAt: Int, forkedFrom: Int?, history: String, initial: StateSnapshot
    ) {
        self.id = id
        self.kind = kind
        self.schema = schema
        self.createdAt = createdAt
        self.forkedFrom = forkedFrom
        self.history = history
        self.initial = initial
    }
}

/// A state as it is kept: what everybody may see, and what only its store needs to know.
public struct StateSnapshot: Sendable, Equatable {
    /// The state as clients see it, as JSON.
    public var json: [UInt8]
    /// What else there is to it, as JSON, with its secrets sealed; nil where there is nothing.
    public var hidden: [UInt8]?

    /// A state as it is kept.
    public init(json: [UInt8], hidden: [UInt8]? = nil) {
        self.json = json
        self.hidden = hidden
    }
}

/// A session that a journal keeps, in short.
public struct SessionSummary: Sendable, Equatable {
    /// What never changes of it.
    public let record: SessionHeader
    /// Its newest revision.
    public let revision: Int
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let lastActiveAt: Int

    /// A session in short.
    public init(record: SessionHeader, revision: Int, lastActiveAt: Int) {
        self.record = record
        self.revision = revision
        self.lastActiveAt = lastActiveAt
    }
}

/// What a journal knows of an id.
public enum SessionLookup: Sendable {
    /// Nothing.
    case unknown
    /// It was a session, which has ended.
    case ended
    /// A session: how it was left, the answers that are still kept, and where it goes on.
    case session(SessionSummary, ReplayableState, [IdempotencyRecord], any SessionJournal)
}

/// The answer to a request that may come again.
public struct IdempotencyRecord: Sendable, Equatable {
    /// What the client calls the request.
    public let key: String
    /// Tells the request's body from others.
    public let fingerprint: UInt64
    /// The answer, in a form that whoever gave it understands.
    public let answer: [UInt8]
    /// When it was given, in milliseconds since 1970-01-01T00:00:00Z.
    public let at: Int

    /// An answer, and the request that it is for.
    public init(key: String, fingerprint: UInt64, answer: [UInt8], at: Int) {
        self.key = key
        self.fingerprint = fingerprint
        self.answer = answer
        self.at = at
    }
}

/// An earlier state: one that was kept, and what was changed in it since.
public struct ReplayableState: Sendable {
    /// The state that was kept, as JSON; nil for the one at revision 0, which whoever asks has.
    public let snapshot: [UInt8]?
    /// What the commits after it changed.
    public let changes: [EncodedPatch]
    /// What only the store knows of the state, as JSON, its secrets sealed; nil where that is as at revision 0.
    public let hidden: [UInt8]?

    /// An earlier state.
    public init(snapshot: [UInt8]?, changes: [EncodedPatch], hidden: [UInt8]?) {
        self.snapshot = snapshot
        self.changes = changes
        self.hidden = hidden
    }

    /// The state; nil where the changes do not fit the snapshot, which no store lets happen.
    ///
    /// - Parameter initial: the state at revision 0, as JSON.
    public func state(initial: [UInt8]) -> JSONValue? {
        guard var state = try? JSONValue(parsing: snapshot ?? initial, maximumDepth: JSONValue.maxDepth) else {
            return nil
        }
        for patch in changes where !patch.isEmpty {
            guard patch.apply(to: &state) else { return nil }
        }
        return state
    }
}
