import JSON
import Stores

/// Writes a session's committed actions to the log before its journal takes them; only where the log listens.
final class SessionRecorder: ActionRecorder {
    private let log: Log
    private let id: SessionID
    private let journal: (any SessionJournal)?

    init(_ log: Log, _ id: SessionID, _ journal: (any SessionJournal)?) {
        self.log = log
        self.id = id
        self.journal = journal
    }

    func append(_ record: ActionRecord, _ state: borrowing StateView) {
        journal?.append(record, state)
        var fields: [LogField] = [
            .init("session", id.shortened), .init("revision", record.revision), .init("type", record.type),
            .init("origin", record.origin.rawValue),
            .init("payload", JSONValue.object(record.payload).description),
        ]
        if let cause = record.cause { fields.append(.init("cause", cause)) }
        log.debug("action", fields)
    }
}
