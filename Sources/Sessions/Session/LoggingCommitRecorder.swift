import JSON
import Observability
import StoreHosting
import Stores

/// Writes a session's commits to the log after its journal has taken them; used at log level debug only.
final class LoggingCommitRecorder: CommitRecorder {
    private let log: Log
    private let id: SessionID
    private let journal: (any SessionJournal)?

    init(_ log: Log, _ id: SessionID, _ journal: (any SessionJournal)?) {
        self.log = log
        self.id = id
        self.journal = journal
    }

    package func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        journal?.append(transaction, state)
        for commit in transaction.commits { write(commit) }
    }

    package func isDurable(through revision: Int) -> Bool { journal?.isDurable(through: revision) ?? true }

    func whenDurable(through revision: Int, _ done: @escaping @Sendable (JournalError?) -> Void) {
        if let journal { journal.whenDurable(through: revision, done) } else { done(nil) }
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
