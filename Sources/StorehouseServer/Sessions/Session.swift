import JSON
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
    private let hosted: HostedKind
    private let lastActive: Atomic<Int>
    private let nextLook = Atomic<Int>(0)
    private let hub = AtomicLazyReference<EventHub>()

    init(
        _ id: SessionID, _ hosted: HostedKind, now: Int, journal: (any SessionJournal)?,
        recorder: (any ActionRecorder)?
    ) {
        self.id = id
        self.hosted = hosted
        store = hosted.kind.makeStore(environment: hosted.environment, recorder: recorder)
        self.journal = journal
        createdAt = now
        lastActive = Atomic(now)
    }

    var kind: StoreKind { hosted.kind }

    /// Brings its commits to streams.
    ///
    /// It is made when first asked for, by the first stream or by the session's end: most sessions are never watched. Of
    /// two that ask at once one makes it for both, so a stream that comes with the end finds the hub that has ended.
    var events: EventHub { hub.load() ?? hub.storeIfNil(EventHub(store: store, journal: journal)) }

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

    func touch(_ now: Int) { lastActive.store(now, ordering: .relaxed) }

    /// When the session expires unless it is used; one that is being watched is in use.
    func expires(after timeout: Int, now: Int) -> Int {
        (streamCount > 0 ? max(now, lastActiveAt) : lastActiveAt) + timeout
    }

    /// Whether nobody used it for so long. Who watches is counted only where it matters.
    func isExpired(after timeout: Int, now: Int) -> Bool {
        lastActiveAt + timeout <= now && expires(after: timeout, now: now) <= now
    }

    /// Cancels what runs and tells the streams.
    func end() {
        store.end()
        events.end("session-ended")
    }
}

// One session is not another, whatever they have in common.
extension Session: Hashable {
    static func == (left: Session, right: Session) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
