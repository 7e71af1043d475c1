public import JSON

/// One committed action, for a log: its secrets are masked.
public struct ActionRecord: Sendable {
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

    /// A record whose secrets are masked already.
    public init(revision: Int, type: String, payload: JSONObject, origin: Origin, cause: Int?) {
        self.revision = revision
        self.type = type
        self.payload = payload
        self.origin = origin
        self.cause = cause
    }
}

extension ActionRecord {
    /// The record of a commit; nil where the action was not declared.
    @usableFromInline
    init?<Action>(_ commit: borrowing Commit<some Sendable, Action>, _ catalogue: ActionCatalogue<Action>) {
        guard let (type, payload) = catalogue.describe(commit.action) else { return nil }
        self.init(
            revision: commit.revision, type: type, payload: payload, origin: commit.origin, cause: commit.cause)
    }
}
