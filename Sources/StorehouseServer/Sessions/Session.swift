import JSON
package import StoreHosting
import Stores
import Synchronization

/// A session in memory: its store, its journal, its streams, and when it was last used.
package final class Session: Sendable {
    package let id: SessionID
    let store: HostedStore
    /// Nil if the server has no journal.
    let journal: (any SessionJournal)?
    /// Milliseconds since 1970, as all times here.
    let createdAt: Int
    /// Names the sequence of revisions in event ids, so that an id of another sequence is recognized.
    let historyID: String
    /// The initial state, if it is not that of the kind.
    let fork: Fork?
    let runtime: KindRuntime
    private let lastActive: Atomic<Int>
    private let nextExpiryCheck = Atomic<Int>(0)
    private let lifecycle = Atomic(SessionLifecycle.resident)
    private let hub = AtomicLazyReference<EventHub>()
    private let cache = AtomicLazyReference<IdempotencyCache>()

    init(
        _ id: SessionID, _ runtime: KindRuntime, _ store: HostedStore, journal: (any SessionJournal)?, createdAt: Int,
        lastActiveAt: Int? = nil, historyID: String, fork: Fork? = nil
    ) {
        self.id = id
        self.runtime = runtime
        self.store = store
        self.journal = journal
        self.createdAt = createdAt
        self.historyID = historyID
        self.fork = fork
        lastActive = Atomic(lastActiveAt ?? createdAt)
    }

    /// The state of another session from which this one was created.
    package final class Fork: Sendable {
        /// The other session's revision; nil if the initial state is that of an earlier release of the kind.
        let revision: Int?
        let initial: StateSnapshot

        init(_ revision: Int?, _ initial: StateSnapshot) {
            self.revision = revision
            self.initial = initial
        }
    }

    var kind: StoreKind { runtime.kind }

    /// The state at revision 0.
    var initial: StateSnapshot { fork?.initial ?? kind.initialSnapshot }

    /// The responses to requests with an Idempotency-Key; made with the first.
    var answers: IdempotencyCache { cache.load() ?? cache.storeIfNil(IdempotencyCache()) }

    /// The time by the clock of its store.
    var now: Int { runtime.environment.clock.now() }

    var streamCount: Int { hub.load()?.count ?? 0 }

    package var lastActiveAt: Int { lastActive.load(ordering: .relaxed) }

    /// The time for which the session stands in the expiry queue.
    var expiryCheckAt: Int {
        get { nextExpiryCheck.load(ordering: .relaxed) }
        set { nextExpiryCheck.store(newValue, ordering: .relaxed) }
    }

    func touch(_ now: Int) {
        lastActive.store(now, ordering: .relaxed)
        journal?.recordUse(at: now)
    }

    /// When the session expires unless it is used; a session with a stream is in use.
    func expires(after timeout: Int, now: Int) -> Int {
        (streamCount > 0 ? max(now, lastActiveAt) : lastActiveAt) + timeout
    }

    /// Counts the streams only if the session was not used otherwise, since that takes a lock.
    func isExpired(after timeout: Int, now: Int) -> Bool {
        lastActiveAt + timeout <= now && expires(after: timeout, now: now) <= now
    }
}

// Durability: all that the handlers know about it.
extension Session {
    /// Whether everything committed so far is durable.
    package var isDurable: Bool { journal?.isDurable ?? true }

    /// Whether everything committed so far is durable, and `revision` is part of it.
    func isDurable(through revision: Int) -> Bool { journal?.isDurable(through: revision) ?? true }

    /// Calls `done` once everything committed so far is durable, and `revision` is part of it, or it is known to be lost; at
    /// once if nothing has to be awaited.
    package func whenDurable(through revision: Int = 0, _ done: @escaping @Sendable (JournalError?) -> Void) {
        guard let journal, !journal.isDurable(through: revision) else { return done(nil) }
        journal.whenDurable(through: revision, done)
    }

    /// Gives the journal the response to a request with an Idempotency-Key, without a commit.
    func record(_ answer: IdempotencyRecord) {
        guard let journal else { return }
        store.inspect { state in
            journal.append(CommitTransaction(baseRevision: state.revision, idempotencyRecord: answer), state)
        }
    }
}

// The lifecycle. Its decisions are those of `SessionLifecycle`; what follows from them is done here.
extension Session {
    /// Whether the session continues elsewhere although its store takes no more actions here.
    package var continuesElsewhere: Bool { lifecycle.load(ordering: .acquiring).continuesElsewhere }

    /// Ends the store, the journal's entries and the streams, unless the session has left this object.
    package func end(at moment: Int) -> SessionLifecycle.EndInstruction {
        let instruction = transition { $0.end() }
        // All of it is done by each of several requests, so that none returns before the journal has the end.
        if instruction != .lookUpAgain {
            store.end()
            journal?.end(at: moment)
            hub.load()?.end("session-ended")
        }
        return instruction
    }

    /// Closes the store, unless it is in use: it has a stream, an effect, a timer, or a commit that is not durable.
    ///
    /// - Returns: whether the session is now detached.
    package func tryHibernate() -> Bool {
        guard let journal, journal.isDurable, !journal.hasFailed, streamCount == 0, cache.load()?.isBusy != true,
            transition({ $0.beginHibernation() })
        else { return false }
        guard store.endIfIdle() else {
            transition { $0.cancelHibernation() }
            return false
        }
        return detach()
    }

    /// Stops the store and closes the streams without an event: the session continues from its journal.
    ///
    /// - Returns: whether this call detached the session.
    @discardableResult
    package func detach() -> Bool {
        guard transition({ $0.detach() }) else { return false }
        store.end()
        hub.load()?.disconnectAll()
        return true
    }

    private func transition<Result>(_ change: (inout SessionLifecycle) -> Result) -> Result {
        var current = lifecycle.load(ordering: .acquiring)
        while true {
            var next = current
            let result = change(&next)
            let (isExchanged, original) = lifecycle.compareExchange(
                expected: current, desired: next, ordering: .sequentiallyConsistent)
            if isExchanged {
                // Pairs with the fence in `subscription`: of a hub that is made and a lifecycle that changes at the same
                // time, at least one side sees the other.
                atomicMemoryFence(ordering: .sequentiallyConsistent)
                return result
            }
            current = original
        }
    }
}

// Streams.
extension Session {
    /// Brings commits to streams. Made for the first stream, since most sessions never have one.
    var events: EventHub { hub.load() ?? hub.storeIfNil(EventHub(store, journal, historyID: historyID)) }

    /// Whether a stream may subscribe now. The hub exists from then on, so that a later end or detachment reaches it.
    package func subscription() -> SessionLifecycle.Subscription {
        _ = events
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return lifecycle.load(ordering: .acquiring).subscription
    }

    /// Adds a stream to the hub, unless the session has ended or continues elsewhere.
    func subscribe(
        _ stream: EventStream, limits: StreamLimits, seen: EventID?, earlier: [CommitRecord],
        onDurable: @escaping @Sendable (Result<InitialEvents, JournalError>) -> Void
    ) -> SubscribeResult {
        switch subscription() {
        case .accept:
            events.subscribe(stream, limits: limits, seen: seen, earlier: earlier, onDurable: onDurable)
        case .lookUpAgain: .sessionDetached
        case .refuse: .sessionEnded
        }
    }
}

// One session is not another, whatever they have in common.
extension Session: Hashable {
    package static func == (left: Session, right: Session) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
