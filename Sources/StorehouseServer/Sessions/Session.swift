import JSON
import StoreHosting
import Stores
import Synchronization

/// One running store, who watches it, and when it was used.
final class Session: Sendable {
    let id: SessionID
    let store: HostedStore
    /// What it committed; nil where nobody keeps that.
    let journal: (any SessionJournal)?
    /// Milliseconds since 1970, as all moments here.
    let createdAt: Int
    /// Names its history of revisions in event ids, so that those of another are known as such.
    let history: String
    /// Where it began, if not where its kind does.
    let fork: Fork?
    let hosted: KindRuntime
    private let lastActive: Atomic<Int>
    private let nextLook = Atomic<Int>(0)
    private let isGone = Atomic(false)
    private let hub = AtomicLazyReference<EventHub>()
    private let table = AtomicLazyReference<IdempotencyCache>()

    init(
        _ id: SessionID, _ hosted: KindRuntime, _ store: HostedStore, journal: (any SessionJournal)?, createdAt: Int,
        lastActiveAt: Int? = nil, history: String, fork: Fork? = nil
    ) {
        self.id = id
        self.hosted = hosted
        self.store = store
        self.journal = journal
        self.createdAt = createdAt
        self.history = history
        self.fork = fork
        lastActive = Atomic(lastActiveAt ?? createdAt)
    }

    /// A state of another session that this one began with.
    final class Fork: Sendable {
        /// The other one's revision; nil where this is none of another session, but of an earlier release of its kind.
        let revision: Int?
        let initial: StateSnapshot

        init(_ revision: Int?, _ initial: StateSnapshot) {
            self.revision = revision
            self.initial = initial
        }
    }

    var kind: StoreKind { hosted.kind }

    /// The state at revision 0.
    var initial: StateSnapshot { fork?.initial ?? kind.initialSnapshot }

    /// Brings its commits to streams.
    ///
    /// It is made when first asked for, by the first stream or by the session's end: most sessions are never watched. Of
    /// two that ask at once one makes it for both, so a stream that comes with the end finds the hub that has ended.
    var events: EventHub { hub.load() ?? hub.storeIfNil(EventHub(store, journal, historyID: history)) }

    /// The answers that are kept for repeated requests; made with the first.
    var answers: IdempotencyCache { table.load() ?? table.storeIfNil(IdempotencyCache()) }

    /// The moment by the clock of its store.
    var now: Int { hosted.environment.clock.now() }

    /// How many streams there are.
    var streamCount: Int { hub.load()?.count ?? 0 }

    var lastActiveAt: Int { lastActive.load(ordering: .relaxed) }

    /// The moment at which it is next looked whether the session has expired.
    var queuedFor: Int {
        get { nextLook.load(ordering: .relaxed) }
        set { nextLook.store(newValue, ordering: .relaxed) }
    }

    func touch(_ now: Int) {
        lastActive.store(now, ordering: .relaxed)
        journal?.touch(now)
    }

    /// When the session expires unless it is used; one that is being watched is in use.
    func expires(after timeout: Int, now: Int) -> Int {
        (streamCount > 0 ? max(now, lastActiveAt) : lastActiveAt) + timeout
    }

    /// Whether nobody used it for so long. Who watches is counted only where it matters.
    func isExpired(after timeout: Int, now: Int) -> Bool {
        lastActiveAt + timeout <= now && expires(after: timeout, now: now) <= now
    }

    /// Cancels what runs and tells the streams.
    func end(at moment: Int) {
        store.end()
        journal?.end(at: moment)
        events.end("session-ended")
    }

    /// Whether it goes on from what is kept, elsewhere or later, though nothing is committed here any more.
    var hasLeft: Bool { isGone.load(ordering: .acquiring) }

    /// Stops, unless it is in use: somebody watches, an effect runs, a timer is armed, or not all of it is kept.
    ///
    /// - Returns: whether it has stopped.
    func rests() -> Bool {
        guard let journal, journal.isDurable, !journal.hasFailed, streamCount == 0, table.load()?.isBusy != true else {
            return false
        }
        isGone.store(true, ordering: .releasing)
        if store.retire() { return true }
        isGone.store(false, ordering: .releasing)
        return false
    }

    /// Stops, to go on from what is kept: nobody is told that it ends.
    func leave() {
        isGone.store(true, ordering: .releasing)
        store.end()
        hub.load()?.disconnectAll()
    }
}

// One session is not another, whatever they have in common.
extension Session: Hashable {
    static func == (left: Session, right: Session) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Session {
    /// Finds the state as it was at a revision: made of a kept state and the changes since.
    ///
    /// - Parameter done: called once, on any thread.
    func past(_ revision: Int, done: @escaping @Sendable (Result<StateSnapshot, Problem>) -> Void) {
        let present = store.revision
        guard revision <= present else {
            return done(
                .failure(
                    Problem(.noSuchRevision, "The session is at revision \(present); there is none beyond it yet.")))
        }
        guard let journal else {
            return done(.failure(Problem(.notImplemented, "This server keeps no earlier states.")))
        }
        let initial = initial
        journal.whenDurable { failure in
            if let failure { return done(.failure(Problem(failure))) }
            journal.past(revision) { done(Self.state($0, initial)) }
        }
    }

    private static func state(
        _ past: Result<ReplayableState?, JournalError>, _ initial: StateSnapshot
    ) -> Result<StateSnapshot, Problem> {
        switch past {
        case .failure(let failure): return .failure(Problem(failure))
        case .success(nil):
            return .failure(
                Problem(.revisionGone, "This revision is not kept any more; ask for a later one.")
                    .with("reason", "retention"))
        case .success(let past?):
            guard let state = past.kept(initial: initial) else {
                return .failure(Problem(.internalError, "The changes up to this revision do not fit one another."))
            }
            return .success(state)
        }
    }
}

extension ReplayableState {
    /// The state as it would be kept; nil where the changes do not fit it.
    ///
    /// - Parameter initial: the one at revision 0.
    func kept(initial: StateSnapshot) -> StateSnapshot? {
        state(initial: initial.json).map { StateSnapshot(json: $0.encoded(), hidden: hidden ?? initial.hidden) }
    }
}
