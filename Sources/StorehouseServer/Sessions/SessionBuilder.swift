import JSON
package import Observability
package import StoreHosting
import Stores

/// Makes sessions: new ones, forks, and those of a journal.
package struct SessionBuilder: Sendable {
    private let kinds: [KindRuntime]
    private let log: Log
    /// Ends each history's name. It differs in each run if the run before may have lost commits: the same revision number is
    /// then given to another state.
    private let streamEpoch: String

    package init(_ kinds: [KindRuntime], streamEpoch: String, _ log: Log) {
        self.kinds = kinds
        self.streamEpoch = streamEpoch
        self.log = log
    }

    /// A session at revision 0.
    ///
    /// - Parameter fork: the initial state, if it is not that of the kind.
    package func create(
        _ kind: KindRuntime, _ id: SessionID, now: Int, _ journal: (any Journal)?, fork: Session.Fork? = nil
    ) throws(Problem) -> Session {
        let history = String(UInt64.random(in: .min ... .max), radix: 36)
        let journal = journal?.create(
            SessionHeader(
                id: id.description, kind: kind.kind.name, schema: kind.kind.schema, createdAt: now,
                forkedFrom: fork?.revision, historyID: history, initial: fork?.initial ?? kind.kind.initialSnapshot))
        do throws(Problem) {
            let store = try store(kind, recorder(id, journal), fork.map { ($0.initial, 0) })
            return Session(
                id, kind, store, journal: journal, createdAt: now, historyID: history + streamEpoch, fork: fork)
        } catch {
            journal?.end(at: now)
            throw error
        }
    }

    /// A session of a journal.
    func restore(
        _ summary: SessionSummary, _ past: ReplayableState, _ answers: [IdempotencyRecord],
        _ journal: any SessionJournal
    ) -> Result<Session, Problem> {
        let header = summary.header
        guard let id = SessionID(header.id.utf8), let state = past.snapshot(initial: header.initial) else {
            return .failure(Problem(JournalError.corrupt("")))
        }
        guard let kind = kinds.first(where: { $0.kind.name == header.kind }) else {
            return .failure(
                Problem(.internalError, "The session is of store \(header.kind), which this server does not host."))
        }
        let hasOwnInitialState = header.forkedFrom != nil || header.initial != kind.kind.initialSnapshot
        do throws(Problem) {
            let store = try store(kind, recorder(id, journal), (state, summary.revision))
            let session = Session(
                id, kind, store, journal: journal, createdAt: header.createdAt, lastActiveAt: summary.lastActiveAt,
                historyID: header.historyID + streamEpoch,
                fork: hasOwnInitialState ? .init(header.forkedFrom, header.initial) : nil)
            if !answers.isEmpty { session.answers.restore(answers) }
            return .success(session)
        } catch {
            log.error(
                "session cannot be read",
                [.init("session", id.shortened), .init("store", header.kind), .init("detail", error.detail)])
            return .failure(error)
        }
    }

    private func store(
        _ kind: KindRuntime, _ recorder: (any CommitRecorder)?, _ snapshot: (state: StateSnapshot, revision: Int)?
    ) throws(Problem) -> HostedStore {
        guard let snapshot else {
            return kind.kind.makeStore(environment: kind.environment, sealer: kind.sealer, recorder: recorder)
        }
        do {
            return try kind.kind.makeStore(
                environment: kind.environment, sealer: kind.sealer, recorder: recorder, from: snapshot.state,
                revision: snapshot.revision)
        } catch {
            throw Problem(.internalError, "This release of the store cannot read the session's state: \(error).")
        }
    }

    private func recorder(_ id: SessionID, _ journal: (any SessionJournal)?) -> (any CommitRecorder)? {
        log.isEnabled(.debug) ? LoggingCommitRecorder(log, id, journal) : journal
    }
}

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

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        journal?.append(transaction, state)
        for commit in transaction.commits { write(commit) }
    }

    func isDurable(through revision: Int) -> Bool { journal?.isDurable(through: revision) ?? true }

    func whenDurable(through revision: Int, _ done: @escaping @Sendable (JournalError?) -> Void) {
        if let journal { journal.whenDurable(through: revision, done) } else { done(nil) }
    }

    private func write(_ record: CommitRecord) {
        var fields: [LogField] = [
            .init("session", id.shortened), .init("revision", record.revision), .init("type", record.type),
            .init("origin", record.origin.rawValue),
            .init("payload", JSONValue.object(record.payload).description),
        ]
        if let cause = record.cause { fields.append(.init("cause", cause)) }
        log.debug("action", fields)
    }
}
