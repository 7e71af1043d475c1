import JSON
import Locks
package import Observability
package import StoreHosting
import Stores

/// Makes sessions: new ones, forks, and those of a journal.
package struct SessionBuilder: Sendable {
    private let kinds: [KindRuntime]
    private let defaultStore: String
    private let journal: (any Journal)?
    private let log: Log
    /// Ends each history's name. It differs in each run if the run before may have lost commits: the same revision number is
    /// then given to another state.
    private let streamEpoch: String
    /// Ends the names of loaded histories, in case commits were lost in this run.
    private let historySuffix: @Sendable () -> String
    /// Gets the changes of members; nil if the journal indexes them.
    private let subjects: SubjectIndex?
    /// Tells an operator why a session cannot be read.
    private let describe: @Sendable (SessionFailure) -> String
    /// By the names of the kinds. Nothing is called while it is locked.
    private let unreadable: Locked<Budgets<String>>

    /// - Parameters:
    ///   - defaultStore: the kind of a session whose creator names none.
    ///   - journal: of new sessions; nil for none.
    ///   - subjects: gets the changes of members, unless the journal indexes them.
    package init(
        _ kinds: [KindRuntime], defaultStore: String, _ journal: (any Journal)?, streamEpoch: String, _ log: Log,
        subjects: SubjectIndex? = nil,
        describe: @escaping @Sendable (SessionFailure) -> String = { "\($0)" },
        historySuffix: @escaping @Sendable () -> String = { "" }
    ) {
        self.describe = describe
        self.subjects = journal?.outlivesProcess == true ? nil : subjects
        self.historySuffix = historySuffix
        self.kinds = kinds
        unreadable = Locked(Budgets(limit: kinds.count))
        self.defaultStore = defaultStore
        self.journal = journal
        self.streamEpoch = streamEpoch
        self.log = log
    }

    /// The kind with a name; without one, the default.
    package func kind(_ name: String?) throws(SessionFailure) -> KindRuntime {
        let name = name ?? defaultStore
        if let kind = kinds.named(name) { return kind }
        throw .absent(.store(known: kinds.map(\.kind.name)))
    }

    /// A session at revision 0.
    ///
    /// - Parameters:
    ///   - owner: the subject that creates it; nil if there is none.
    ///   - isPersonal: whether it is the one that `/sessions/me` names.
    ///   - fork: the initial state, if it is not that of the kind.
    package func create(
        _ kind: KindRuntime, _ id: SessionID, now: Int, owner: Subject? = nil, isPersonal: Bool = false,
        fork: Session.Fork? = nil
    ) throws(SessionFailure) -> Session {
        let history = String(UInt64.random(in: .min ... .max), radix: 36)
        let journal = journal?.create(
            SessionHeader(
                id: id.description, kind: kind.kind.name, schema: kind.kind.schema, createdAt: now,
                forkedFrom: fork?.revision, historyID: history, initial: fork?.initial ?? kind.kind.initialSnapshot,
                owner: owner, isPersonal: isPersonal))
        do throws(SessionFailure) {
            let recorder = recorder(id, kind, journal)
            let store =
                if let shared = fork?.shared {
                    try shared.makeStore(of: kind, recorder, label: id.fingerprint)
                } else {
                    try store(id, kind, recorder, fork.map { ($0.initial, 0) })
                }
            index(store, of: kind, in: journal, isNew: true)
            identify(store, of: kind, as: id)
            return Session(
                id, kind, store, journal: journal, createdAt: now, historyID: history + streamEpoch, owner: owner,
                isPersonal: isPersonal, fork: fork)
        } catch {
            journal?.end(at: now)
            throw error
        }
    }

    /// A session of a journal.
    package func restore(
        _ summary: SessionSummary, _ past: ReplayableState, _ answers: [IdempotencyRecord],
        _ journal: any SessionJournal
    ) -> Result<Session, SessionFailure> {
        let header = summary.header
        guard let id = SessionID(header.id.utf8), let state = past.snapshot(initial: header.initial) else {
            return .failure(.unavailable(.storage(.corrupt(""))))
        }
        guard let kind = kinds.named(header.kind) else { return .failure(.stored(.otherStore(header.kind))) }
        let hasOwnInitialState = header.forkedFrom != nil || header.initial != kind.kind.initialSnapshot
        do throws(SessionFailure) {
            let store = try store(id, kind, recorder(id, kind, journal), (state, summary.revision))
            index(store, of: kind, in: journal, isNew: false)
            identify(store, of: kind, as: id)
            let session = Session(
                id, kind, store, journal: journal, createdAt: header.createdAt, lastActiveAt: summary.lastActiveAt,
                historyID: header.historyID + streamEpoch + historySuffix(), owner: header.owner,
                isPersonal: header.isPersonal, permits: SessionPermits(of: summary),
                fork: hasOwnInitialState ? .init(header.forkedFrom, header.initial) : nil, byteCount: state.json.count)
            if !answers.isEmpty { session.idempotencyCache.restore(answers, now: session.sessionTime) }
            restoreClients(summary.clients, of: session)
            return .success(session)
        } catch {
            logUnreadable(id, kind, error)
            return .failure(error)
        }
    }

    private func restoreClients(_ rows: [ClientRow], of session: Session) {
        guard !rows.isEmpty else { return }
        let unread = session.clients.withRecords { $0.restore(rows, now: session.sessionTime) }
        guard !unread.isEmpty else { return }
        log.warning(
            "records of clients cannot be read",
            [
                .init("session", session.id.fingerprint), .init("count", unread.count),
                .init("detail", "a later release has written them; the clients begin new ones"),
            ])
    }

    /// Each request to such a session tries to load it again, so these lines are bounded.
    private func logUnreadable(_ id: SessionID, _ kind: KindRuntime, _ failure: SessionFailure) {
        let now = kind.clock.wall.steady()
        guard let omitted = unreadable.withLock({ $0.take(kind.kind.name, now: now) }) else { return }
        log.error(
            "session cannot be read",
            [.init("session", id.fingerprint), .init("store", kind.kind.name), .init("detail", describe(failure))]
                + (omitted > 0 ? [.init("omitted", omitted)] : []))
    }

    private func store(
        _ id: SessionID, _ kind: KindRuntime, _ recorder: (any CommitRecorder)?,
        _ snapshot: (state: StateSnapshot, revision: Int)?
    ) throws(SessionFailure) -> HostedStore {
        let label = id.fingerprint
        guard let snapshot else {
            return kind.kind.makeStore(
                environment: kind.environment, sealer: kind.sealer, recorder: recorder,
                maxStateBytes: kind.limits.maxStateBytes, label: label)
        }
        return try kind.restored(snapshot.state).makeStore(
            environment: kind.environment, recorder: recorder, revision: snapshot.revision,
            maxStateBytes: kind.limits.maxStateBytes, label: label)
    }

    /// Only stores that call services need a name, which takes memory.
    private func identify(_ store: HostedStore, of kind: KindRuntime, as id: SessionID) {
        if !kind.kind.services.isEmpty { store.identify(as: id.description) }
    }

    private func recorder(
        _ id: SessionID, _ kind: KindRuntime, _ journal: (any SessionJournal)?
    ) -> (any CommitRecorder)? {
        var recorder: (any CommitRecorder)? = journal
        if let subjects, kind.kind.hasMembers {
            recorder = ObservedRecorder(recorder) { [subjects] transaction in
                if let change = transaction.members { subjects.apply(change, to: id) }
            }
        }
        return log.isEnabled(.debug) ? ObservedRecorder(recorder, observe: CommitLog(log: log, id: id).write) : recorder
    }

    /// Makes the index of members that of a store. No commit comes in between.
    ///
    /// - Parameter isNew: whether the index has none of the session.
    private func index(_ store: HostedStore, of kind: KindRuntime, in journal: (any SessionJournal)?, isNew: Bool) {
        guard let journal, kind.kind.hasMembers else { return }
        store.inspect { state in
            let members = state.members ?? []
            if !isNew || !members.isEmpty { journal.index(members) }
        }
    }
}
