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

/// Writes a record of each committed action. It stands last in line.
struct ActionLogger<State: Sendable, Action: Sendable>: Middleware {
    let catalogue: ActionCatalogue<Action>
    let write: @Sendable (ActionRecord) -> Void

    func respond(to commit: Commit<State, Action>) -> Effect<Action> {
        if let (type, payload) = catalogue.describe(commit.action) {
            write(
                ActionRecord(
                    revision: commit.revision, type: type, payload: payload, origin: commit.origin,
                    cause: commit.cause))
        }
        return .none
    }
}
