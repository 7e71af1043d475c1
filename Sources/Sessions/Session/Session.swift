package import JSON
package import StoreHosting
import Stores
package import Synchronization
import Threads

/// A session in memory: its store, its journal, its streams, and when it was last used.
package final class Session: Identifiable, Sendable {
    package let id: SessionID
    package let store: HostedStore
    /// Nil if the server has no journal.
    package let journal: (any SessionJournal)?
    /// By the ``SessionClock``, in milliseconds.
    package let createdAt: Int
    /// Names the sequence of revisions in event ids and entity tags, so that those of another sequence are recognized.
    package let historyID: String
    /// The initial state, if it is not that of the kind.
    package let fork: Fork?
    package let runtime: KindRuntime
    /// The subject that created it; nil if the server knew no subjects.
    package let owner: Subject?
    package let permits: SessionPermits
    private let lastActive: Atomic<Int>
    private let nextExpiryCheck = Atomic<Int>(0)
    // The small properties share a few words.
    package let size: SessionSize
    /// Whether it is the session of its owner and kind that `/sessions/me` names.
    package let isPersonal: Bool
    private let used: Atomic<Bool>
    private let lifecycle = Atomic(SessionLifecycle.resident)
    /// The state of its transfer to another node, as whoever takes it there keeps it; see ``SessionTransferring``.
    package let transferState = Atomic<UInt64>(0)
    let streams = LazyReference<SessionStreams>()
    let cache = LazyReference<IdempotencyCache.Shared>()
    private let clientRecords = LazyReference<ClientRecords.Shared>()
    /// Made with the first refused action.
    let refusedActions = LazyReference<RefusedActions>()

    package init(
        _ id: SessionID, _ runtime: KindRuntime, _ store: HostedStore, journal: (any SessionJournal)?, createdAt: Int,
        lastActiveAt: Int? = nil, historyID: String, owner: Subject? = nil, isPersonal: Bool = false,
        permits: consuming SessionPermits = SessionPermits(), fork: Fork? = nil, byteCount: Int? = nil
    ) {
        self.id = id
        self.runtime = runtime
        self.store = store
        self.journal = journal
        self.createdAt = createdAt
        self.historyID = historyID
        self.owner = owner
        self.isPersonal = isPersonal
        self.fork = fork
        self.permits = permits
        lastActive = Atomic(lastActiveAt ?? createdAt)
        used = Atomic(lastActiveAt != nil)
        size = SessionSize(byteCount ?? fork?.initial.json.count ?? runtime.kind.initialState.count)
        if self.permits.hasMakers {
            store.inspect { state in _ = self.permits.askForMakers(now: now) { keepsPermits(of: $0, in: state) } }
        }
    }

    /// The state of another session from which this one was created.
    package final class Fork: Sendable {
        /// The other session's revision; nil if the initial state is that of an earlier release of the kind.
        package let revision: Int?
        package let initial: StateSnapshot
        /// The initial state, decoded once for this fork and others; nil if no other fork uses it.
        package let shared: PastState?

        package init(_ revision: Int?, _ initial: StateSnapshot, shared: PastState? = nil) {
            self.revision = revision
            self.initial = initial
            self.shared = shared
        }
    }

    package var kind: StoreKind { runtime.kind }

    /// The name of its kind. Another target would copy the whole kind to read it.
    package var kindName: String { runtime.kind.name }

    /// The state at revision 0.
    package var initial: StateSnapshot { fork?.initial ?? kind.initialSnapshot }

    /// The responses to requests with an Idempotency-Key; made with the first.
    var idempotencyCache: IdempotencyCache.Shared {
        cache.load(orStore: IdempotencyCache.Shared(maxKeys: runtime.limits.maxIdempotencyKeys))
    }

    /// The records of its clients; made with the first.
    package var clients: ClientRecords.Shared {
        clientRecords.load(
            orStore: ClientRecords.Shared(ClientRecords(runtime.limits.clients, keyID: runtime.hasher.keyID)))
    }

    /// The records of its clients; nil if there was none yet.
    var existingClients: ClientRecords.Shared? { clientRecords.load() }

    /// The time by the clock of its store.
    package var now: Int { runtime.environment.now }

    /// The time by the ``SessionClock``: for all that is compared with how long ago something was.
    package var sessionTime: Int { runtime.clock.now() }

    /// When it was last used, by the ``SessionClock``.
    package var lastActiveAt: Int { lastActive.load(ordering: .relaxed) }

    /// The time for which the session stands in the expiry queue.
    var expiryCheckAt: Int {
        get { nextExpiryCheck.load(ordering: .relaxed) }
        set { nextExpiryCheck.store(newValue, ordering: .relaxed) }
    }

    /// Whether anything was done on the session since it was created.
    package var isUsed: Bool { used.load(ordering: .relaxed) }

    package func touch(_ now: Int) {
        if !isUsed { used.store(true, ordering: .relaxed) }
        lastActive.store(now, ordering: .relaxed)
        recordUse(at: now, every: runtime.limits.useInterval)
    }

    /// The journal takes a session as used if its last use is after its creation.
    package func recordUse(at moment: Int, every interval: Int) {
        journal?.recordUse(at: max(moment, createdAt + 1), every: interval)
    }

    /// When the session expires unless it is used.
    package func expires(_ policy: SessionPolicy, now: Int) -> Int {
        let timeout = policy.timeout(isUsed: isUsed)
        return timeout < SessionPolicy.never ? lastUse(now: now) + timeout : SessionPolicy.never
    }

    /// When it was last used: now if it has a stream, or a timer that will fire. A timer that has fired was a use.
    private func lastUse(now: Int) -> Int {
        if streamCount > 0 { return max(now, lastActiveAt) }
        let timers = store.timerUse
        if timers.nextDeadline != nil { return max(now, lastActiveAt) }
        return max(lastActiveAt, timers.lastFiring.map { now - max(0, runtime.environment.steadyNow() - $0) } ?? 0)
    }

    /// Looks at streams and timers only if the session was not used otherwise, since that takes locks.
    package func isExpired(_ policy: SessionPolicy, now: Int) -> Bool {
        lastActiveAt + policy.timeout(isUsed: isUsed) <= now && expires(policy, now: now) <= now
    }
}

// The lifecycle. Its decisions are those of `SessionLifecycle`; what follows from them is done here.
extension Session {
    /// Whether it was deleted or has expired.
    package var hasEnded: Bool { lifecycle.load(ordering: .acquiring) == .ended }

    /// Whether the session continues elsewhere although its store takes no more actions here.
    package var continuesElsewhere: Bool { lifecycle.load(ordering: .acquiring).continuesElsewhere }

    /// Ends the store, the journal's entries and the streams, unless the session has left this object.
    package func end(at moment: Int) -> SessionLifecycle.EndInstruction { follow(transition { $0.end() }, at: moment) }

    /// Ends them if the newest state allows that: no commit comes between the decision and the end.
    ///
    /// - Returns: nil if the state does not allow it.
    func end(at moment: Int, if condition: (borrowing StateView) -> Bool) -> SessionLifecycle.EndInstruction? {
        var instruction: SessionLifecycle.EndInstruction?
        _ = store.close { state in
            guard condition(state) else { return false }
            let decided = transition { $0.end() }
            instruction = decided
            return decided != .lookUpAgain
        }
        return instruction.map { follow($0, at: moment) }
    }

    private func follow(
        _ instruction: SessionLifecycle.EndInstruction, at moment: Int
    ) -> SessionLifecycle.EndInstruction {
        // All of it is done by each of several requests, so that none returns before the journal has the end.
        if instruction != .lookUpAgain {
            store.end()
            let lapsed = permits.revokeLapsed()
            if !lapsed.isEmpty { journal?.record(.revoked(lapsed)) }
            journal?.end(at: moment)
            events.end("session-ended")
        }
        return instruction
    }

    /// Whether everything done with the session is durable and answered. Inside the store no commit can follow.
    package var isSettled: Bool {
        guard let journal, case .now = release((), upTo: 0) else { return false }
        return !journal.hasFailed && cache.load()?.isBusy != true && existingClients?.isBusy != true
    }

    /// Closes the store, unless it is in use: it has a stream, an effect, a timer that fires soon, or a commit that is not durable.
    ///
    /// - Returns: whether the session is now detached.
    package func tryHibernate() -> Bool {
        guard streamCount == 0, transition({ $0.beginHibernation() }) else { return false }
        let isIdle = { self.isSettled && self.streamCount == 0 }
        let hasEnded =
            isWokenByTimer ? store.endIfQuiet(and: { isIdle() && isWokenByTimer }) : store.endIfIdle(and: isIdle)
        guard hasEnded else {
            transition { $0.cancelHibernation() }
            return false
        }
        return detach()
    }

    /// Whether it has a timer for which ``TimerWaker`` loads it again, and that is not soon.
    private var isWokenByTimer: Bool {
        // The journal has the deadlines of the last commit; those of an initial state are nowhere.
        guard let deadline = store.timerUse.nextDeadline, store.revision > 0 else { return false }
        return deadline > now + 2 * SessionPolicy.timerLookahead
    }

    /// Stops the store and closes the streams: the session continues from its journal.
    ///
    /// - Parameter reason: what streams get with `closed`; nil to close them without an event.
    /// - Returns: whether this call detached the session.
    @discardableResult
    package func detach(_ reason: String? = nil) -> Bool {
        guard transition({ $0.detach() }) else { return false }
        if isUsed { recordUse(at: streamCount > 0 ? sessionTime : lastActiveAt, every: 0) }
        store.end()
        events.disconnectAll(reason)
        return true
    }

    /// Closes the store, so that the session can continue elsewhere, unless it is in use. Its timers are in the journal.
    ///
    /// - Returns: whether the session is now detached.
    package func tryRelease() -> Bool {
        guard transition({ $0.beginHibernation() }) else { return false }
        guard store.endIfQuiet(and: { isSettled }) else {
            transition { $0.cancelHibernation() }
            return false
        }
        return detach("rotated")
    }

    private func transition<Result>(_ change: (inout SessionLifecycle) -> Result) -> Result {
        var current = lifecycle.load(ordering: .acquiring)
        while true {
            var next = current
            let result = change(&next)
            let (isExchanged, original) = lifecycle.compareExchange(
                expected: current, desired: next, ordering: .acquiringAndReleasing)
            if isExchanged { return result }
            current = original
        }
    }
}

// One session is not another, whatever they have in common.
extension Session: Hashable {
    package static func == (left: Session, right: Session) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// States at a revision.
extension Session {
    /// Where the selected value of a revision is.
    package enum Look {
        /// It is that of the newest revision.
        case current(EncodedState)
        case earlier(Int)
        /// There is no such revision yet.
        case later(newest: Int)

        /// - Parameter wanted: nil for the newest.
        init(_ state: borrowing StateView, _ selection: Selection, _ wanted: Int?) {
            let newest = state.revision
            self =
                switch wanted ?? newest {
                case newest: .current(EncodedState(revision: newest, json: state.encoded(selection)))
                case let revision where revision < newest: .earlier(revision)
                default: .later(newest: newest)
                }
        }
    }

    /// Looks for the selected value of a revision: the newest without one.
    func look(at selection: Selection, _ revision: Int?) -> Look {
        var look = Look.later(newest: 0)
        store.inspect { look = Look($0, selection, revision) }
        return look
    }
}
