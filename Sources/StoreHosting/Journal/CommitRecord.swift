public import JSON
public import Stores

/// One commit, as it is persisted and shown in the action log: its secrets are redacted.
public struct CommitRecord: Sendable {
    /// The revision that the commit made.
    public let revision: Int
    /// The declared name of the action.
    public let type: String
    /// The fields of the action, with `***` for secrets.
    public let payload: JSONObject
    /// Who sent the action.
    public let origin: Origin
    /// The revision whose commit caused the action; nil for a client's.
    public let cause: Int?
    /// The time of the commit, in milliseconds since 1970-01-01T00:00:00Z.
    public let committedAt: Int
    /// The changes of the state.
    public let changes: EncodedPatch
    /// The private part of the state after the commit, as JSON with its secrets sealed; nil if it has not changed.
    public let privateState: [UInt8]?

    /// A record whose secrets are redacted already.
    ///
    /// - Parameters:
    ///   - revision: the revision that the commit made.
    ///   - type: the declared name of the action.
    ///   - payload: the fields of the action, with `***` for secrets.
    ///   - origin: who sent the action.
    ///   - cause: the revision whose commit caused the action; nil for a client's.
    ///   - committedAt: milliseconds since 1970-01-01T00:00:00Z.
    ///   - changes: the changes of the state.
    ///   - privateState: the private part of the state, if it has changed.
    public init(
        revision: Int, type: String, payload: JSONObject, origin: Origin, cause: Int?, committedAt: Int,
        changes: EncodedPatch,
        privateState: [UInt8]? = nil
    ) {
        self.revision = revision
        self.type = type
        self.payload = payload
        self.origin = origin
        self.cause = cause
        self.committedAt = committedAt
        self.changes = changes
        self.privateState = privateState
    }
}

extension CommitRecord {
    /// The record of a commit. An action that is not declared gets the name `undeclared`.
    @usableFromInline
    init<Action: DeclaredAction>(
        _ commit: borrowing Commit<some Sendable, Action>, committedAt moment: Int, changes: EncodedPatch,
        privateState: [UInt8]?
    ) {
        let (type, payload) = Action.catalogue.describe(commit.action) ?? ("undeclared", [:])
        self.init(
            revision: commit.revision, type: type, payload: payload, origin: commit.origin, cause: commit.cause,
            committedAt: moment, changes: changes, privateState: privateState)
    }
}
