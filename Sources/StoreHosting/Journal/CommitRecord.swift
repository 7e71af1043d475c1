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
    public init(
        revision: Int, type: String, payload: JSONObject, origin: Origin, cause: Int?, at: Int, changes: EncodedPatch,
        hidden: [UInt8]? = nil
    ) {
        self.revision = revision
        self.type = type
        self.payload = payload
        self.origin = origin
        self.cause = cause
        self.at = at
        self.changes = changes
        self.hidden = hidden
    }
}

extension CommitRecord {
    /// The record of a commit. An action that its catalogue does not declare has no name but that.
    @usableFromInline
    init<Action: DeclaredAction>(
        _ commit: borrowing Commit<some Sendable, Action>, at moment: Int, changes: EncodedPatch,
        hidden: [UInt8]?
    ) {
        let (type, payload) = Action.catalogue.describe(commit.action) ?? ("undeclared", [:])
        self.init(
            revision: commit.revision, type: type, payload: payload, origin: commit.origin, cause: commit.cause,
            at: moment, changes: changes, hidden: hidden)
    }
}
