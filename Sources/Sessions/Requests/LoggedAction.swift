package import JSON
import Observability
package import StoreHosting
import Stores

/// A commit as the action log shows it.
package struct LoggedAction: JSONEncodable {
    private let record: CommitRecord
    private let showsChanges: Bool

    package init(_ record: CommitRecord, showsChanges: Bool = false) {
        self.record = record
        self.showsChanges = showsChanges
    }

    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("revision", record.revision)
            json.member("type", record.type)
            json.member("payload", record.payload)
            json.member("origin", record.origin.rawValue)
            json.member("cause", record.cause)
            json.member("at", Timestamp.rfc3339(record.committedAt))
            if showsChanges { json.member("patch", record.changes) }
        }
    }
}
