import HTTP
import HTTPServer
import Locks
import Sessions
import Sockets
import StoreHosting
import Stores

/// The event stream of one client. On its connection's loop only.
final class EventStream: Subscriber {
    struct Settings: Sendable {
        /// A comment is sent after this much silence at the latest.
        var heartbeat = Duration.seconds(15)
        /// How many bytes may wait for a client before events are skipped.
        var bufferBytes = 65536
        var maxPerSession = 10_000
        /// How many combinations of selection and format the streams of a session may have.
        var maxViews = 16
        /// A stream ends after this time at the latest, so that its client reconnects; zero for never.
        var maxLifetime = Duration.zero

        var limits: StreamLimits {
            StreamLimits(
                maxPerSession: maxPerSession, maxViews: maxViews,
                maxMissedBytes: bufferBytes)
        }
    }

    private enum Phase {
        /// It has not begun. Frames that come meanwhile are sent behind the initial events.
        case opening([EarlyFrame])
        /// It runs; the timer is that of the next heartbeat.
        case open(LoopTimer)
        /// It is over, perhaps before it has begun.
        case over
    }

    /// A frame that has come before the stream has begun.
    private enum EarlyFrame {
        case commit(EventFrame)
        case effect(EncodedEvent)
    }

    /// What only a stream has whose events another node shares among its clients.
    private final class Sharing {
        var delivery: StreamDelivery
        /// How many events the client gets by the shared stream.
        var count = 0
        /// Reads what the other node says.
        var parser = StreamFrameParser(readsFrames: false)
        /// How many bytes of events the client got by the shared stream, less those that are for its node only.
        var bytes = 0

        init(_ delivery: StreamDelivery) { self.delivery = delivery }
    }

    private let session: Session
    /// For the access log; nil without one.
    let client: LoggedClient?
    private let credentials: Credentials
    private let environment: StreamEnvironment
    private var connection: HTTPConnection?
    let loop: any EventLoop
    private var clock: StreamClock
    private var position = StreamPosition()
    // The small properties share a word with the last of the position.
    /// Whether its heartbeats are events.
    private let namesHeartbeats: Bool
    /// The resource that its client watches.
    let route: Route?
    private var phase = Phase.opening([])
    /// Nil for most streams, so that they take less memory.
    private let sharing: Sharing?

    override var delivery: StreamDelivery { sharing?.delivery ?? .alone }

    /// Whether it is over, perhaps before it has begun.
    var isOver: Bool { if case .over = phase { true } else { false } }

    var settings: Settings { environment.settings }

    private var codec: any EventCodec { subscription.format.codec }

    private var events: Counters<ServerMetrics.EventResult> { environment.metrics.events }

    /// - Parameters:
    ///   - context: the request with the parameters.
    ///   - environment: gets ``StreamEnvironment/ended(_:of:at:_:)``, however the stream ends.
    ///   - client: for the line in the access log at the end; nil if there is no log.
    init(
        _ session: Session, _ parameters: StreamParameters, _ context: RequestContext, _ environment: StreamEnvironment,
        client: LoggedClient?
    ) {
        self.session = session
        namesHeartbeats = parameters.namesHeartbeats
        route = context.decorator.route
        let delivery = parameters.delivery
        if case .alone = delivery { sharing = nil } else { sharing = Sharing(delivery) }
        self.client = client
        self.environment = environment
        credentials = context.credentials
        loop = context.exchange.loop
        clock = StreamClock(
            now: loop.now, heartbeatInterval: StreamTiming.heartbeatInterval(environment.settings.heartbeat, .jitter),
            lifetime: delivery.isShared ? nil : StreamTiming.lifetime(environment.settings.maxLifetime, .jitter))
        super.init(
            parameters.format.subscription(to: .root), on: loop,
            showsEffects: parameters.showsEffects, from: context.exchange.connection.forwarder)
    }

    /// Sends all events on this connection, because there is no stream to join.
    override func sendAlone() { sharing?.delivery = .alone }

    /// How many bytes the client was sent.
    var byteCount: Int { (connection?.streamedBytes ?? 0) + (sharing?.bytes ?? 0) }

    /// When the client may see no more; nil for never, and for a shared stream, each of whose clients has its own time.
    private var expiresAt: Int? { isShared ? nil : credentials.expiresAt }

    override var hasInvalidPermit: Bool {
        if case .permit(let permit) = credentials { !permit.isValid(in: session) } else { false }
    }

    private func count(_ result: ServerMetrics.EventResult, _ count: Int = 1) {
        if !isShared { events.add(count, to: result) }
    }

    /// Sends the initial events; later ones follow.
    func start(on connection: HTTPConnection, _ initial: InitialEvents) {
        self.connection = connection
        let early: [EarlyFrame] = if case .opening(let frames) = phase { frames } else { [] }
        let retry = StreamTiming.retry(.jitter)
        let preamble = isShared ? [] : codec.preamble(retry: retry, heartbeat: settings.heartbeat)
        let bytes: EncodedEvent
        switch initial {
        case .state(let event):
            position.start(at: event.revision)
            count(.sent)
            bytes = codec.encode(event, skipped: 0, at: session.now)
        case .events(let revision, let missed):
            position.start(at: revision)
            count(.sent, missed.count)
            bytes = missed.encoded
        }
        connection.collectWrites {
            if case .alone = delivery {
                if !preamble.isEmpty { send(preamble) }
                if bytes.count > 0 { send(bytes) }
            } else {
                writeLine(position.lastSentRevision, preamble.count + bytes.count)
                connection.send(framed: [preamble] + bytes.plainParts)
            }
        }
        scheduleHeartbeat()
        for frame in early {
            switch frame {
            case .commit(let frame): send(frame)
            case .effect(let event): sendEffect(event)
            }
        }
    }

    /// Keeps a frame until the stream begins. Its initial events are not durable before, and so later commits are hardly ever: only
    /// those that become durable together with them are kept.
    private func keep(_ frame: EarlyFrame) {
        guard case .opening(var frames) = phase else { return }
        phase = .over
        frames.append(frame)
        phase = .opening(frames)
    }

    /// It does not begin.
    func abandon() {
        phase = .over
        session.existingEvents?.unsubscribe(self)
    }

    override func send(_ frame: EventFrame) {
        guard let connection else { return keep(.commit(frame)) }
        if case .joined = delivery { return share(frame) }
        let isAccepted = position.accepts(
            revision: frame.revision, byteCount: frame.byteCount, pendingBytes: connection.pendingBytes,
            limit: settings.bufferBytes)
        guard isAccepted else { return }
        guard case .alone = delivery else { return sendFramed(frame.event, at: frame.revision, to: connection) }
        events.add(to: .sent)
        clock.sent(now: loop.now)
        frame.event.send(to: connection)
    }

    /// Counts an event that the client gets by a shared stream.
    private func share(_ frame: EventFrame) {
        guard position.shares(revision: frame.revision) else { return }
        events.add(to: .sent)
        sharing?.count += 1
        sharing?.bytes += frame.byteCount
        clock.sent(now: loop.now)
    }

    override func sendEffect(_ event: EncodedEvent) {
        guard let connection else { return keep(.effect(event)) }
        let isAccepted = position.acceptsEffect(
            byteCount: event.count, pendingBytes: connection.pendingBytes, limit: settings.bufferBytes)
        events.add(to: isAccepted ? .sent : .skipped)
        guard isAccepted else { return }
        clock.sent(now: loop.now)
        event.send(to: connection)
    }

    /// Sends `closed` if there is a reason, and ends.
    override func end(_ reason: String?) { end(reason, retry: nil) }

    private func end(_ reason: String?, retry: Int?) {
        if let reason, !isShared {
            events.add(to: .sent)
            // Behind the events that come by a shared stream.
            let closed = EncodedEvent(codec.closed(reason, retry: retry, at: session.now))
            send(closed, at: position.lastSentRevision)
        }
        let connection = connection
        release()
        connection?.endStream()
    }

    /// Releases the connection and everything that keeps the stream alive.
    private func release() {
        if case .open(let timer) = phase { loop.cancel(timer) }
        phase = .over
        let (connection, byteCount) = (connection, byteCount)
        self.connection = nil
        session.events.unsubscribe(self)
        if !isShared { environment.ended(self, of: session, at: position.lastSentRevision, byteCount, connection) }
    }

    private func send(_ bytes: [UInt8]) { send(EncodedEvent(bytes)) }

    /// - Parameter revision: what the client must have before; 0 for nothing.
    private func send(_ bytes: EncodedEvent, at revision: Int = 0) {
        guard let connection else { return }
        guard case .alone = delivery else { return sendFramed(bytes, at: revision, to: connection) }
        clock.sent(now: loop.now)
        bytes.send(to: connection)
    }

    private func sendFramed(_ bytes: EncodedEvent, at revision: Int, to connection: HTTPConnection) {
        clock.sent(now: loop.now)
        connection.collectWrites {
            writeLine(revision, bytes.count)
            if bytes.count > 0 { connection.send(framed: bytes.plainParts) }
        }
    }

    private func writeLine(_ revision: Int, _ length: Int) { writeFraming(StreamFraming.line(revision, length)) }

    private func writeFraming(_ bytes: [UInt8]) {
        sharing?.bytes -= bytes.count
        connection?.send(framed: bytes)
    }

    private func scheduleHeartbeat() {
        if isOver { return }
        var delay = clock.timerDelay(now: loop.now)
        // The wall clock may step: it is looked at with each heartbeat.
        if let expiresAt { delay = min(delay, .milliseconds(max(1, expiresAt - session.now))) }
        phase = .open(loop.schedule(after: delay) { [self] in heartbeatDue() })
    }

    private var heartbeat: [UInt8] {
        isShared ? [] : codec.heartbeat(isEvent: namesHeartbeats, at: session.now)
    }

    private func heartbeatDue() {
        guard let connection else { return }
        if let expiresAt, expiresAt <= session.now { return end("expired") }
        let action = clock.timerFired(
            now: loop.now, pendingBytes: connection.pendingBytes,
            nextInterval: StreamTiming.heartbeatInterval(settings.heartbeat, .jitter))
        if action == .rotate { return end("rotated") }
        // Shared events do not tell the other node that its client is served.
        if action == .wait, joinedID != nil { writeLine(0, 0) }
        // A session that is found again after a restart counts as used while it was watched.
        session.recordUse(at: session.sessionTime, every: session.runtime.limits.useInterval)
        if action == .sendHeartbeat { send(heartbeat) }
        scheduleHeartbeat()
    }
}

extension EventStream: StreamHandler {
    func streamDrained() {
        guard position.flushed(), let newest = session.events.newest(subscription) else { return }
        switch newest {
        case .now(let newest): catchUp(newest, of: position.skippedCount)
        case .later(let run):
            let (stream, skippedCount) = (LoopBound(self, on: loop), position.skippedCount)
            Task(executorPreference: loop) {
                guard let newest = try? await run() else { return }
                stream.valueIfCurrent?.catchUp(newest, of: skippedCount)
            }
        }
    }

    /// - Parameter skippedCount: how many events the client had missed when the value was read.
    private func catchUp(_ newest: StateEvent, of skippedCount: Int) {
        let skipped = position.caughtUp(
            revision: newest.revision, lastChangedRevision: newest.lastChangedRevision, of: skippedCount)
        guard let connection else { return }
        if let skipped {
            count(.sent)
            count(.merged, skipped)
            // The clients of a shared stream that have joined meanwhile may have the newest change.
            send(codec.encode(newest, skipped: skipped, at: session.now), at: newest.lastChangedRevision)
        }
        if connection.pendingBytes == 0 { streamDrained() }
    }

    /// The node that shares the events among its clients shares them with this client no longer.
    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        guard let sharing, case .joined = sharing.delivery, let connection else { return }
        var bytes = bytes
        guard case .line(let revision, let sentCount)? = sharing.parser.next(&bytes) else { return }
        writeFraming(StreamFraming.star)
        sendAlone()
        position.leave(at: revision, missedCount: sharing.count - sentCount)
        if connection.pendingBytes == 0 { streamDrained() }
    }

    func streamClosed() { release() }

    func streamShouldEnd(among streamCount: Int) {
        end("draining", retry: StreamTiming.retry(among: streamCount, .jitter))
    }
}
