import JSON
import Observability
import StoreHosting
import Stores

/// Writes a session's commits to the log; used at log level debug only.
struct CommitLog: Sendable {
    let log: Log
    let id: SessionID

    func write(_ transaction: CommitTransaction) {
        for commit in transaction.commits { write(commit) }
    }

    private func write(_ record: CommitRecord) {
        var fields: [LogField] = [
            .init("session", id.fingerprint), .init("revision", record.revision), .init("type", record.type),
            .init("origin", record.origin.rawValue),
            .init("payload", JSONValue.object(record.payload).description),
        ]
        if let cause = record.cause { fields.append(.init("cause", cause)) }
        log.debug("action", fields)
    }
}
