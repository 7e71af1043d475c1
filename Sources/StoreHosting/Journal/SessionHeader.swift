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

/// What an earlier state can be made from: a snapshot, and the patches of the commits after it.
public struct ReplayableState: Sendable {
    /// The snapshot as JSON; nil for the state at revision 0, which the caller has.
    public let snapshot: [UInt8]?
    /// The JSON Patches (RFC 6902) of the commits after the snapshot, in UTF-8. They are parsed only when the state is made.
    public let patches: [[UInt8]]
    /// The private state as JSON, its secrets sealed; nil if it is as at revision 0.
    public let hidden: [UInt8]?

    /// A state that is made from `snapshot` and `patches`.
    public init(snapshot: [UInt8]?, patches: [[UInt8]], hidden: [UInt8]?) {
        self.snapshot = snapshot
        self.patches = patches
        self.hidden = hidden
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
