public import JSON
public import Stores

/// One committed action, for a log: its secrets are masked.
public struct CommitRecord: Sendable {
    /// The revision that it made.
    public let revision: Int
    /// Its declared name.
    public let type: String
    /// Its fields, `***` for secrets.
    public let payload: JSONObject
    /// Who sent it.
    public let origin: Origin
    /// The revision whose action caused it; nil for a client's.
    public let cause: Int?
    /// When it was committed, in milliseconds since 1970-01-01T00:00:00Z.
    public let at: Int
    /// What it changed in the state.
    public let changes: EncodedPatch
    /// What only the store knows of the state after it, as JSON with its secrets sealed; nil where that is as it was.
    public let hidden: [UInt8]?
    /// Whether it is the last of those that are kept in one piece: of a batch, and with the answer to it.
    public let endsUnit: Bool

    /// A record whose secrets are masked already.
    ///
    /// - Parameters:
    ///   - revision: the one that it made.
    ///   - type: its declared name.
    ///   - payload: its fields, `***` for secrets.
    ///   - origin: who sent it.
    ///   - cause: the revision whose action caused it; nil for a client's.
    ///   - at: milliseconds since 1970-01-01T00:00:00Z.
    ///   - changes: what it changed in the state.
    ///   - hidden: what only the store knows of the state, where that has changed.
    ///   - endsUnit: whether it is the last of those that are kept in one piece.
    public init(
        revision: Int, type: String, payload: JSONObject, origin: Origin, cause: Int?, at: Int, changes: EncodedPatch,
        hidden: [UInt8]? = nil, endsUnit: Bool = true
    ) {
        self.revision = revision
        self.type = type
        self.payload = payload
        self.origin = origin
        self.cause = cause
        self.at = at
        self.changes = changes
        self.hidden = hidden
        self.endsUnit = endsUnit
    }
}

extension CommitRecord {
    /// The record of a commit. An action that its catalogue does not declare has no name but that.
    @usableFromInline
    init<Action: DeclaredAction>(
        _ commit: borrowing Commit<some Sendable, Action>, at moment: Int, changes: EncodedPatch,
        hidden: [UInt8]?, endsUnit: Bool
    ) {
        let (type, payload) = Action.catalogue.describe(commit.action) ?? ("undeclared", [:])
        self.init(
            revision: commit.revision, type: type, payload: payload, origin: commit.origin, cause: commit.cause,
            at: moment, changes: changes, hidden: hidden, endsUnit: endsUnit)
    }
}

/// Takes what a store commits, each action once and in the order of their revisions.
public protocol CommitRecorder: AnyObject, Sendable {
    /// Takes a commit, with the state that it led to. It is called inside the store, so it must be quick.
    func append(_ record: CommitRecord, _ state: borrowing StateView)
}
