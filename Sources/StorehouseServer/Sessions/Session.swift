import JSON
import Stores
import Synchronization

/// One running store, who watches it, and when it was used.
final class Session: Sendable {
    let id: SessionID
    let kind: StoreKind
    let store: HostedStore
    /// Names this history of revisions in event ids, so that those of another are known as such.
    let history: String
    let events: EventHub
    /// What it committed; nil where nobody keeps that.
    let journal: (any SessionJournal)?
    /// Milliseconds since 1970, as all moments here.
    let createdAt: Int
    private let lastActive: Atomic<Int>
    private let nextLook = Atomic<Int>(0)

    init(
        _ id: SessionID, _ kind: StoreKind, now: Int, journal: (any SessionJournal)?, recorder: StoreKind.Recorder?
    ) {
        self.id = id
        self.kind = kind
        store = kind.makeStore(recorder: recorder)
        history = String(UInt64.random(in: .min ... .max), radix: 36)
        events = EventHub(store: store, history: history)
        self.journal = journal
        createdAt = now
        lastActive = Atomic(now)
    }

    var lastActiveAt: Int { lastActive.load(ordering: .relaxed) }

    /// The moment at which it is next looked whether the session has expired.
    var queuedFor: Int {
        get { nextLook.load(ordering: .relaxed) }
        set { nextLook.store(newValue, ordering: .relaxed) }
    }

    func touch(_ now: Int) { lastActive.store(now, ordering: .relaxed) }

    /// When the session expires unless it is used; one that is being watched is in use.
    func expires(after timeout: Int, now: Int) -> Int {
        (events.count > 0 ? max(now, lastActiveAt) : lastActiveAt) + timeout
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
