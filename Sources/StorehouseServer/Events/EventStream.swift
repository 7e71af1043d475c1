import HTTP
import HTTPServer
import Sockets
import StoreHosting
import Stores

/// The event stream of one client. On its connection's loop only.
final class EventStream {
    struct Settings: Sendable {
        /// A comment is sent after this much silence at the latest.
        var heartbeat = Duration.seconds(15)
        /// How many bytes may wait for a client before events are skipped.
        var bufferBytes = 65536
        var maxPerSession = 64
        /// How many combinations of selection and format the streams of a session may have.
        var maxViews = 16
        /// A stream ends after this time at the latest, so that its client reconnects; zero for never.
        var maxLifetime = Duration.zero
    }

    /// The streams of a topic share one.
    var subscription: StreamSubscription
    let loop: any EventLoop
    /// The stream's index in its group.
    var groupIndex = 0

    private let session: Session
    /// For the access log; nil without one.
    let client: LoggedClient?
    private let credentials: Credentials
    private let api: StreamAPI
    private var connection: HTTPConnection?
    private var clock: StreamClock
    private var position = StreamPosition()
    // The small properties share a word with the last of the position.
    /// Whether the events of effects are sent.
    let showsEffects: Bool
    /// The node through which its client came, by its number; 0 for none.
    let forwarder: UInt16
    private var timer: LoopTimer?

    var settings: Settings { api.settings }

    private var events: Counters<ServerMetrics.EventResult> { api.metrics.events }

    /// How long the patches are that a reconnecting client may get. Otherwise it gets the state, whose bytes are shared.
    var maxMissedBytes: Int { min(settings.bufferBytes, PatchEvent.maxMissedBytes) }

    /// - Parameters:
    ///   - context: the request.
    ///   - api: gets ``StreamAPI/ended(_:of:at:_:)``, however the stream ends.
    ///   - client: for the line in the access log at the end; nil if there is no log.
    init(
        _ session: Session, _ subscription: StreamSubscription, showsEffects: Bool, _ context: RequestContext,
        _ api: StreamAPI, client: LoggedClient?
    ) {
        self.session = session
        self.subscription = subscription
        self.showsEffects = showsEffects
        forwarder = context.exchange.connection.forwarder
        self.client = client
        credentials = context.credentials
        self.api = api
        loop = context.exchange.loop
        clock = StreamClock(
            now: loop.now, heartbeatInterval: StreamTiming.heartbeatInterval(api.settings.heartbeat, .jitter),
            lifetime: StreamTiming.lifetime(api.settings.maxLifetime, .jitter))
    }

    /// Whether its client came by a share that may not be used any more.
    var hasInvalidShare: Bool {
        if case .share(let share) = credentials { !share.isValid(in: session) } else { false }
    }

    /// Sends the initial events; later ones follow.
    func start(on connection: HTTPConnection, _ initial: InitialEvents) {
        self.connection = connection
        connection.collectWrites {
            send(subscription.format.preamble(retry: StreamTiming.retry(.jitter)))
            switch initial {
            case .state(let event):
                position.start(at: event.revision)
                events.add(to: .sent)
                send(subscription.format.value(event, at: session.now))
            case .events(let revision, let missed):
                position.start(at: revision)
                events.add(missed.emptyLineCount, to: .sent)
                send(missed)
            }
        }
        scheduleHeartbeat()
    }

    func send(_ frame: EventFrame) {
        guard let connection else { return }
        let isAccepted = position.accepts(
            revision: frame.revision, byteCount: frame.bytes.count, pendingBytes: connection.pendingBytes,
            limit: settings.bufferBytes)
        guard isAccepted else { return }
        events.add(to: .sent)
        clock.sent(now: loop.now)
        frame.bytes.send(to: connection)
    }

    func send(_ frame: EffectFrame) {
        guard let connection else { return }
        // The line for a terminal is hardly longer than the encoded event.
        let isAccepted = position.acceptsEffect(
            byteCount: frame.bytes.count, pendingBytes: connection.pendingBytes, limit: settings.bufferBytes)
        events.add(to: isAccepted ? .sent : .skipped)
        guard isAccepted else { return }
        if case .text(let inColor) = subscription.format {
            return send(TerminalLines.line(of: frame.event, at: session.now, inColor: inColor))
        }
        clock.sent(now: loop.now)
        frame.bytes.send(to: connection)
    }

    /// Sends `closed` if there is a reason, and ends.
    func end(_ reason: String?, retry: Int? = nil) {
        if let reason {
            events.add(to: .sent)
            send(subscription.format.closed(reason, retry: retry, at: session.now))
        }
        let connection = connection
        release()
        connection?.endStream()
    }

    /// Releases the connection and everything that keeps the stream alive.
    private func release() {
        if let timer { loop.cancel(timer) }
        timer = nil
        let connection = connection.take()
        session.events.unsubscribe(self)
        api.ended(self, of: session, at: position.lastSentRevision, connection)
    }

    private func send(_ bytes: [UInt8]) { send(EventBytes(bytes)) }

    private func send(_ bytes: EventBytes) {
        guard let connection, bytes.count > 0 else { return }
        clock.sent(now: loop.now)
        bytes.send(to: connection)
    }

    private func scheduleHeartbeat() {
        var delay = clock.timerDelay(now: loop.now)
        // The wall clock may step: it is looked at with each heartbeat.
        if let expiresAt = credentials.expiresAt { delay = min(delay, .milliseconds(max(1, expiresAt - session.now))) }
        timer = loop.schedule(after: delay) { [self] in heartbeatDue() }
    }

    private func heartbeatDue() {
        guard let connection else { return }
        if let expiresAt = credentials.expiresAt, expiresAt <= session.now { return end("expired") }
        let action = clock.timerFired(
            now: loop.now, pendingBytes: connection.pendingBytes,
            nextInterval: StreamTiming.heartbeatInterval(settings.heartbeat, .jitter))
        if action == .rotate { return end("rotated") }
        // A session that is found again after a restart counts as used while it was watched.
        session.journal?.recordUse(at: session.now)
        if action == .sendHeartbeat { send(subscription.format.heartbeat(at: session.now)) }
        scheduleHeartbeat()
    }
}

extension EventStream: StreamHandler {
    func streamDrained() {
        guard position.flushed() else { return }
        let stream = LoopBound(self, on: loop)
        session.events.newest(subscription) { [loop] newest in
            if loop.isCurrent { stream.value.catchUp(newest) } else { loop.execute { stream.value.catchUp(newest) } }
        }
    }

    private func catchUp(_ newest: StateEvent) {
        let skipped = position.caughtUp(
            revision: newest.revision, lastChangedRevision: newest.lastChangedRevision)
        guard connection != nil, let skipped else { return }
        events.add(to: .sent)
        events.add(skipped, to: .merged)
        send(subscription.format.value(newest, skipped: skipped, at: session.now))
    }

    func streamClosed() { release() }

    func streamShouldEnd(among streamCount: Int) {
        end("draining", retry: StreamTiming.retry(among: streamCount, .jitter))
    }
}

extension [UInt8] {
    /// How many events there are, each of which ends with an empty line.
    fileprivate var emptyLineCount: Int {
        zip(self, dropFirst()).count { $0 == UInt8(ascii: "\n") && $1 == UInt8(ascii: "\n") }
    }
}
