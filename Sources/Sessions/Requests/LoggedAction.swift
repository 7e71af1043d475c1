package import JSON
import Observability
package import StoreHosting
import Stores

/// A commit as the action log shows it.
package struct LoggedAction: JSONEncodable {
    private let record: CommitRecord
    private let hasOwner: Bool
    private let showsChanges: Bool

    /// - Parameters:
    ///   - hasOwner: whether the session has an owner, so that a commit of an earlier release names nobody.
    ///   - showsChanges: whether it has the patch of the commit.
    package init(_ record: CommitRecord, hasOwner: Bool = false, showsChanges: Bool = false) {
        self.record = record
        self.hasOwner = hasOwner
        self.showsChanges = showsChanges
    }

    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("revision", record.revision)
            json.member("type", record.type)
            json.member("payload", record.payload)
            json.member("origin", record.origin.rawValue)
            if let actor = record.actor(inSessionWithOwner: hasOwner) { json.member("actor", raw: actor.json) }
            json.member("cause", record.cause)
            json.member("at", Timestamp.rfc3339(record.committedAt))
            if showsChanges { json.member("patch", record.changes) }
        }
    }
}
