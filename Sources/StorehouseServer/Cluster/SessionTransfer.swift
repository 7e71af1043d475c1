import Cluster
import HTTPServer
import Locks
import Observability
import Sessions
import Sockets
import StoreHosting
import Synchronization
import Threads

/// Hands sessions over to the nodes that forward the requests for them, so that their owners follow the load balancer. When this
/// is done is decided by ``SessionHandover``.
///
/// The session is closed while no request for it is in progress. Then the journal gives it back, and the next request of the other
/// node is refused, so that node claims the session. If the journal fails, the session is loaded again for the next request.
final class SessionTransfer: SessionTransferring {
    /// A session follows a node that has forwarded so many requests for it, one after the other.
    static let requestLimit = 16
    /// For how many milliseconds a session is left to the other node. It claims the session at once, unless it dies.
    private static let reservation = 1000

    private struct Contents {
        /// The requests that wait, by session. Each session that is being handed over has an entry.
        var waiting: [SessionID: [Promise<Void>]] = [:]
        /// Until when the sessions that were handed over are left to the other nodes.
        var released: [SessionID: Int] = [:]
        /// When to forget those whose time is over.
        var nextCleanup = 0
    }

    private let forwarder: Forwarder
    private let log: Log
    private let handoverCount = Atomic(0)
    // The registry's sessions refer to this object.
    private weak let registry: SessionRegistry?
    // Guards the sessions that are handed over. Nothing is called while it is held.
    private let contents = Locked(Contents())

    init(_ registry: SessionRegistry, _ forwarder: Forwarder, _ log: Log) {
        self.registry = registry
        self.forwarder = forwarder
        self.log = log
    }

    /// How many sessions were handed over.
    var count: Int { handoverCount.load(ordering: .relaxed) }

    /// Begins a request for a session, if it may use the session now. If not, wait with ``awaitDecision(on:for:)``.
    ///
    /// - Parameter isUse: whether it is a use of the session.
    /// - Returns: whether it has begun.
    func begin(_ context: RequestContext, for session: Session, isUse: Bool) -> Bool {
        let connection = context.exchange.connection
        // An action that could not be dispatched looks for its session once more.
        if connection.notifiesAtEnd(session) { return true }
        let sender = isUse ? connection.origin : nil
        var admission = session.beginRequest(from: sender)
        if admission == .prepare, !session.canFollow(connection.origin) {
            if session.giveUpTransfer() { resumeWaiting(for: session.id) }
            admission = session.beginRequest(from: sender)
        }
        switch admission {
        case .serve: break
        case .serveAndWake: resumeWaiting(for: session.id)
        case .release:
            // In a later turn, because this request has to be among those that wait.
            context.exchange.loop.execute { [self] in handOver(session) }
            return false
        case .prepare, .wait, .lookUpAgain: return false
        }
        connection.notifyAtEnd(session)
        return true
    }

    /// Waits until it is decided whether the session stays.
    ///
    /// - Parameter client: a request for it.
    func awaitDecision(on session: Session, for client: RoutedClient) async {
        let timeout = Task { [self] in
            await client.sleep(for: forwarder.waits.handover)
            if !Task.isCancelled, session.giveUpTransfer() { resumeWaiting(for: session.id) }
        }
        await awaitRelease(of: session.id) { session.isClosed }
        timeout.cancel()
    }

    /// Waits for a session that is not in memory.
    func awaitRelease(of id: SessionID) async { await awaitRelease(of: id) { false } }

    private func awaitRelease(of id: SessionID, isClosed: () -> Bool) async {
        let end = Promise<Void>()
        let isWaiting = contents.withLock { contents in
            guard contents.waiting[id] != nil || isClosed() else { return false }
            contents.waiting[id, default: []].append(end)
            return true
        }
        if isWaiting { await end.value() }
    }

    private func resumeWaiting(for id: SessionID, isReleased: Bool = false) {
        let now = forwarder.now
        let waiting = contents.withLock { contents in
            if isReleased {
                if now >= contents.nextCleanup {
                    contents.released = contents.released.filter { $0.value > now }
                    contents.nextCleanup = now + Self.reservation
                }
                contents.released[id] = now + Self.reservation
            }
            return contents.waiting.removeValue(forKey: id) ?? []
        }
        for end in waiting { end.fulfill(()) }
    }

    /// Where a session is that is handed over; nil if it is not.
    func place(of id: SessionID) -> SessionPlace? {
        let now = forwarder.now
        return contents.withLock { contents in
            if contents.waiting[id] != nil { return .releasing }
            return contents.released[id].map { $0 > now } == true ? .released : nil
        }
    }

    /// Hands a session over, which no request uses. Requests for it wait.
    func handOver(_ session: Session) {
        let number = session.forwarder
        // From now on requests for the session wait: see ``place(of:)``.
        contents.withLock { $0.waiting[session.id, default: []] += [] }
        // A node without a lease cannot claim it.
        guard let node = forwarder.identity.name(of: number), !forwarder.isGone(node), let journal = session.journal,
            registry?.handOver(session, to: number) == true
        else {
            session.abortTransfer()
            return resumeWaiting(for: session.id)
        }
        beginTask { [self] in
            let isReleased = (try? await journal.release()) != nil
            if isReleased { handedOver(session, to: node) }
            resumeWaiting(for: session.id, isReleased: isReleased)
        }
    }

    func giveBack(_ session: Session) -> Bool {
        let hasLeft = registry?.handOver(session, to: nil) == true
        // A request that came while it was tried waits for the decision.
        resumeWaiting(for: session.id)
        return hasLeft
    }

    private func handedOver(_ session: Session, to node: String) {
        handoverCount.add(1, ordering: .relaxed)
        forwarder.remember(node, of: session.id)
        log.debug("session handed over", [.init("session", session.id.fingerprint), .init("node", node)])
    }
}
