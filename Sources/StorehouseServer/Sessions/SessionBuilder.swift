import JSON
package import Observability
import Platform
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

    /// - Parameters:
    ///   - defaultStore: the kind of a session whose creator names none.
    ///   - journal: of new sessions; nil for none.
    package init(
        _ kinds: [KindRuntime], defaultStore: String, _ journal: (any Journal)?, streamEpoch: String, _ log: Log
    ) {
        self.kinds = kinds
        self.defaultStore = defaultStore
        self.journal = journal
        self.streamEpoch = streamEpoch
        self.log = log
    }

    /// The kind with a name; without one, the default.
    func kind(_ name: String?) throws(Problem) -> KindRuntime {
        let name = name ?? defaultStore
        if let kind = kinds.first(where: { $0.kind.name == name }) { return kind }
        let known = kinds.map(\.kind.name).joined(separator: ", ")
        throw Problem(.noSuchStore, "No store has this name; the stores are: \(known).")
    }

    /// A session at revision 0.
    ///
    /// - Parameter fork: the initial state, if it is not that of the kind.
    package func create(
        _ kind: KindRuntime, _ id: SessionID, now: Int, fork: Session.Fork? = nil
    ) throws(Problem) -> Session {
        let history = String(UInt64.random(in: .min ... .max), radix: 36)
        let journal = journal?.create(
            SessionHeader(
                id: id.description, kind: kind.kind.name, schema: kind.kind.schema, createdAt: now,
                forkedFrom: fork?.revision, historyID: history, initial: fork?.initial ?? kind.kind.initialSnapshot))
        do throws(Problem) {
            let recorder = recorder(id, journal)
            let store =
                if let shared = fork?.shared {
                    try shared.makeStore(of: kind, recorder, label: id.fingerprint)
                } else {
                    try store(id, kind, recorder, fork.map { ($0.initial, 0) })
                }
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
            let store = try store(id, kind, recorder(id, journal), (state, summary.revision))
            let session = Session(
                id, kind, store, journal: journal, createdAt: header.createdAt, lastActiveAt: summary.lastActiveAt,
                historyID: header.historyID + streamEpoch,
                fork: hasOwnInitialState ? .init(header.forkedFrom, header.initial) : nil, byteCount: state.json.count)
            if !answers.isEmpty { session.idempotencyCache.restore(answers) }
            return .success(session)
        } catch {
            log.error(
                "session cannot be read",
                [.init("session", id.fingerprint), .init("store", header.kind), .init("detail", error.detail)])
            return .failure(error)
        }
    }

    private func store(
        _ id: SessionID, _ kind: KindRuntime, _ recorder: (any CommitRecorder)?,
        _ snapshot: (state: StateSnapshot, revision: Int)?
    ) throws(Problem) -> HostedStore {
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

    private func recorder(_ id: SessionID, _ journal: (any SessionJournal)?) -> (any CommitRecorder)? {
        log.isEnabled(.debug) ? LoggingCommitRecorder(log, id, journal) : journal
    }
}

/// A kind, and what its sessions share: the server's clock, its log, and the sealer.
package final class KindRuntime: Sendable {
    let kind: StoreKind
    let environment: StoreEnvironment
    let sealer: (any SecretSealer)?
    let limits: SessionLimits

    init(
        _ kind: StoreKind, _ environment: StoreEnvironment, _ sealer: (any SecretSealer)?,
        _ limits: SessionLimits = SessionLimits()
    ) {
        self.kind = kind
        self.limits = limits
        self.sealer = sealer
        self.environment = environment
    }

    /// Decodes a persisted state of the kind.
    func restored(_ state: StateSnapshot) throws(Problem) -> RestoredState {
        do {
            return try kind.restored(state, sealer: sealer)
        } catch {
            throw Problem(error)
        }
    }

    package convenience init(
        _ kind: StoreKind, clock: WallClock, sealer: (any SecretSealer)?, limits: SessionLimits = SessionLimits(),
        log: Log
    ) {
        let name = kind.name
        var effects: (@Sendable (EffectEvent) -> Void)?
        if log.isEnabled(.debug) { effects = { log.debug($0, of: name) } }
        self.init(
            kind, StoreEnvironment(clock: clock, report: { log.error($0, of: name) }, effects: effects), sealer,
            limits)
    }
}

/// What one session may hold.
package struct SessionLimits: Sendable {
    package var maxIdempotencyKeys = 50_000
    /// The largest state, in bytes of its JSON.
    package var maxStateBytes = 1 << 20

    package init() {}
}

extension Log {
    /// Logs an event of an effect.
    fileprivate func debug(_ event: EffectEvent, of kind: String) {
        var fields = [
            LogField("store", kind), .init("effect", event.effect.name), .init("phase", event.phase.rawValue),
            .init("cause", event.cause),
        ]
        if let upstream = event.upstream { fields.append(.init("upstream", upstream)) }
        if let attempt = event.attempt { fields.append(.init("attempt", attempt)) }
        if let code = event.code { fields.append(.init("code", code)) }
        if let duration = event.duration { fields.append(.init("seconds", .milliseconds(duration))) }
        debug("effect", fields)
    }

    /// Logs a fault of a kind's code that its store has contained.
    fileprivate func error(_ fault: StoreFault, of kind: String) {
        let detail = LogField("detail", fault.description)
        switch fault {
        case .cascadeStopped(let limit, let dropped):
            error("cascade stopped", [.init("store", kind), .init("limit", limit), .init("dropped", dropped), detail])
        case .invariantBroken(let name):
            error("invariant broken", [.init("store", kind), .init("invariant", name), detail])
        case .stateTooLarge(let origin):
            error("state too large", [.init("store", kind), .init("origin", origin.rawValue), detail])
        }
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
            .init("session", id.fingerprint), .init("revision", record.revision), .init("type", record.type),
            .init("origin", record.origin.rawValue),
            .init("payload", JSONValue.object(record.payload).description),
        ]
        if let cause = record.cause { fields.append(.init("cause", cause)) }
        log.debug("action", fields)
    }
}

/// The clocks of a server and its stores, as a parameter for tests.
package struct WallClock: StoreClock {
    private let read: @Sendable () -> Int
    /// A clock in milliseconds that nobody can set. It begins when the machine boots.
    package let steady: @Sendable () -> Int
    /// Identifies the boot to which ``steady`` belongs; nil if the system does not tell.
    package let boot: UInt64?

    /// The clocks of the system.
    package init() { self.init(now: systemTime, steady: steadyTime, boot: bootIdentity()) }

    /// - Parameters:
    ///   - now: milliseconds since 1970-01-01T00:00:00Z.
    ///   - steady: a clock that nobody can set; nil if nobody sets `now`.
    ///   - boot: identifies the boot to which `steady` belongs.
    package init(now: @escaping @Sendable () -> Int, steady: (@Sendable () -> Int)? = nil, boot: UInt64? = 1) {
        read = now
        self.steady = steady ?? now
        self.boot = boot
    }

    package func now() -> Int { read() }

    /// Waits in real time, for as long as `moment` is in the future.
    package func sleep(until moment: Int) async throws(CancellationError) {
        let system = SystemClock()
        let (due, isTooFar) = moment.addingReportingOverflow(system.now() - now())
        try await system.sleep(until: isTooFar ? moment : due)
    }
}
