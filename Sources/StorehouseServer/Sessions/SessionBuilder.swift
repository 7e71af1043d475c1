import JSON
import Observability
import StoreHosting
import Stores

/// Makes sessions: new ones, those that go on from a state of another, and those that were kept.
struct SessionBuilder: Sendable {
    private let kinds: [KindRuntime]
    private let log: Log
    /// What ends the name of each history: another word in each run that may have lost the last commits of the run before,
    /// since a revision is not the same then as it was.
    private let epoch: String

    init(_ kinds: [KindRuntime], epoch: String, _ log: Log) {
        self.kinds = kinds
        self.epoch = epoch
        self.log = log
    }

    /// A session at revision 0.
    ///
    /// - Parameter fork: where it begins, if not where its kind does.
    func begin(
        _ kind: KindRuntime, _ id: SessionID, now: Int, _ journal: (any Journal)?, fork: Session.Fork? = nil
    ) throws(Problem) -> Session {
        let history = String(UInt64.random(in: .min ... .max), radix: 36)
        let journal = journal?.create(
            SessionHeader(
                id: id.description, kind: kind.kind.name, schema: kind.kind.schema, createdAt: now,
                forkedFrom: fork?.revision, history: history, initial: fork?.initial ?? kind.kind.initialSnapshot))
        let store = try store(kind, recorder(id, journal), fork.map { ($0.initial, 0) })
        return Session(id, kind, store, journal: journal, createdAt: now, history: history + epoch, fork: fork)
    }

    /// A session as it was left.
    func restore(
        _ kept: SessionSummary, _ past: ReplayableState, _ answers: [IdempotencyRecord], _ journal: any SessionJournal
    ) -> Result<Session, Problem> {
        let record = kept.record
        guard let id = SessionID(record.id.utf8), let state = past.kept(initial: record.initial) else {
            return .failure(Problem(JournalError.corrupt("")))
        }
        guard let kind = kinds.first(where: { $0.kind.name == record.kind }) else {
            return .failure(
                Problem(.internalError, "This server hosts no store named \(record.kind), of which the session is."))
        }
        let begins = record.forkedFrom != nil || record.initial != kind.kind.initialSnapshot
        do throws(Problem) {
            let store = try store(kind, recorder(id, journal), (state, kept.revision))
            let session = Session(
                id, kind, store, journal: journal, createdAt: record.createdAt, lastActiveAt: kept.lastActiveAt,
                history: record.history + epoch, fork: begins ? .init(record.forkedFrom, record.initial) : nil)
            if !answers.isEmpty { session.answers.restore(answers) }
            return .success(session)
        } catch {
            log.error(
                "session cannot be read",
                [.init("session", id.shortened), .init("store", record.kind), .init("detail", error.detail)])
            return .failure(error)
        }
    }

    private func store(
        _ kind: KindRuntime, _ recorder: (any CommitRecorder)?, _ kept: (state: StateSnapshot, revision: Int)?
    ) throws(Problem) -> HostedStore {
        guard let kept else {
            return kind.kind.makeStore(environment: kind.environment, sealer: kind.sealer, recorder: recorder)
        }
        do {
            return try kind.kind.makeStore(
                environment: kind.environment, sealer: kind.sealer, recorder: recorder, from: kept.state,
                revision: kept.revision)
        } catch {
            throw Problem(.internalError, "This release of the store cannot read the session's state: \(error).")
        }
    }

    private func recorder(_ id: SessionID, _ journal: (any SessionJournal)?) -> (any CommitRecorder)? {
        log.isEnabled(.debug) ? LoggingCommitRecorder(log, id, journal) : journal
    }
}

/// Writes a session's committed actions to the log before its journal takes them; only where the log listens.
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
