import HTTP
import HTTPServer
import Sessions
import Sockets
import StoreHosting
import Stores
import Threads

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
        /// How many more there may be that show the value of a selector for one actor.
        var maxActorViews = 1000
        /// A stream ends after this time at the latest, so that its client reconnects; zero for never.
        var maxLifetime = Duration.zero
        /// How long the body of a request may be, for clients that ask.
        var maxBodyBytes = 65536

        var limits: StreamLimits {
            StreamLimits(
                maxPerSession: maxPerSession, maxViews: maxViews, maxActorViews: maxActorViews,
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
        case presence(EncodedPresence)
        case signal(EncodedEvent)
    }

    private let session: Session
    /// For the access log; nil without one.
    let client: LoggedClient?
    private let credentials: Credentials
    private let environment: StreamEnvironment
    private var connection: (any RequestSource)?
    let loop: any EventLoop
    private var clock: StreamClock
    private var position = StreamPosition()
    // The small properties share a word with the last of the position.
    /// Whether its heartbeats are events.
    private let namesHeartbeats: Bool
    /// The resource that its client watches.
    let route: Route?
    private var phase = Phase.opening([])
    /// Whether it is over, perhaps before it has begun.
    var isOver: Bool { if case .over = phase { true } else { false } }

    var settings: Settings { environment.settings }

    private var codec: any EventCodec { subscription.format.codec }

    private func count(_ result: ServerMetrics.EventResult, _ number: Int = 1) {
        environment.metrics.events.add(number, to: result)
    }

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
        self.client = client
        self.environment = environment
        credentials = context.credentials
        loop = context.exchange.loop
        clock = StreamClock(
            now: loop.now, heartbeatInterval: StreamTiming.heartbeatInterval(environment.settings.heartbeat, .jitter),
            lifetime: StreamTiming.lifetime(environment.settings.maxLifetime, .jitter))
        super.init(
            parameters.format.subscription(to: .root), shows: parameters.shows,
            from: context.exchange.connection.origin)
    }

    /// How many bytes the client was sent.
    var byteCount: Int { connection?.streamedBytes ?? 0 }

    /// When the client may see no more; nil for never.
    private var expiresAt: Int? { credentials.expiresAt }

    override var hasInvalidPermit: Bool {
        if case .permit(let permit) = credentials { !permit.isValid(in: session) } else { false }
    }

    override var actor: Actor? { credentials.actor(in: session) }

    /// Sends the initial events; later ones follow.
    func start(on connection: any RequestSource, _ initial: InitialEvents) {
        self.connection = connection
        let early: [EarlyFrame] = if case .opening(let frames) = phase { frames } else { [] }
        let retry = StreamTiming.retry(.jitter)
        let preamble = codec.preamble(retry: retry, heartbeat: settings.heartbeat)
        let bytes: EncodedEvent
        switch initial.value {
        case .state(let event):
            position.start(at: event.revision)
            count(.sent)
            bytes = codec.encode(event, skipped: 0, at: session.now)
        case .events(let revision, let missed):
            position.start(at: revision)
            count(.sent, missed.count)
            bytes = missed.encoded
        }
        let (before, behind) = (initial.actions.before, initial.actions.behind)
        count(.sent, before.count + behind.count)
        connection.collectWrites {
            if !preamble.isEmpty { send(preamble) }
            for part in [before.encoded, bytes, behind.encoded] where part.count > 0 { send(part) }
            if let ready = initial.ready { sendReady(ready) }
        }
        sync?.sent(through: initial.decision)
        scheduleHeartbeat()
        for frame in early {
            switch frame {
            case .commit(let frame): send(frame)
            case .effect(let event): sendEffect(event)
            case .presence(let news): sendPresence(news)
            case .signal(let event): sendSignal(event)
            }
        }
    }

    private func ready(_ news: ReadyNews) -> EncodedEvent {
        codec.encode(
            ReadyEvent(
                news, historyID: session.historyID, heartbeat: settings.heartbeat, maxBodyBytes: settings.maxBodyBytes,
                time: session.now, store: session.kindName, version: session.runtime.version))
    }

    private func sendReady(_ news: ReadyNews) {
        count(.sent)
        send(ready(news))
        sync?.sent(news)
    }

    /// Tells the client of its entries, unless it knows. A client that is too slow for that is told with the value that it gets later.
    private func tell(_ news: ReadyNews, on connection: any RequestSource) {
        guard let sync, sync.needs(news) else { return }
        let event = ready(news)
        let isAccepted = position.acceptsReady(
            byteCount: event.count, pendingBytes: connection.pendingBytes, limit: settings.bufferBytes)
        guard isAccepted else { return }
        count(.sent)
        send(event)
        sync.sent(news)
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
        if frame.extras != nil { return sendVariant(of: frame, to: connection) }
        guard accepts(frame.plain.count, at: frame.revision, connection) else { return }
        frame.plain.send(to: connection)
    }

    /// Sends what the stream shows of a frame, and the news for its client.
    @inline(never)
    private func sendVariant(of frame: EventFrame, to connection: any RequestSource) {
        let (event, news) = (frame.event(for: shows), sync.flatMap { frame.ready(for: $0.client) })
        // Other streams of the topic show the actions, which have left its value as it is.
        if event.count > 0 {
            guard accepts(event.count, at: frame.revision, connection) else { return }
            event.send(to: connection)
            sync?.sent(through: frame.decision, namesOwn: news == nil)
        }
        if let news { tell(news, on: connection) }
    }

    /// Whether an event of a commit is to be sent now; the client has it, or is too slow for it, if not.
    @inline(__always)
    private func accepts(_ byteCount: Int, at revision: Int, _ connection: any RequestSource) -> Bool {
        let isAccepted = position.accepts(
            revision: revision, byteCount: byteCount, pendingBytes: connection.pendingBytes,
            limit: settings.bufferBytes)
        guard isAccepted else { return false }
        count(.sent)
        clock.sent(now: loop.now)
        return true
    }

    override func sendEffect(_ event: EncodedEvent) {
        guard let connection else { return keep(.effect(event)) }
        sendPassing(event, to: connection, limit: settings.bufferBytes)
    }

    override func sendPresence(_ news: EncodedPresence) {
        guard let connection else { return keep(.presence(news)) }
        guard let event = presence.take(news.number, whole: news.whole, change: news.change) else { return }
        if !sendPassing(event, to: connection, limit: settings.bufferBytes) { presence.miss() }
    }

    /// Signals are dropped first: what they leave of the buffer is for other events.
    override func sendSignal(_ event: EncodedEvent) {
        guard let connection else { return keep(.signal(event)) }
        sendPassing(event, to: connection, limit: settings.bufferBytes / 4)
    }

    /// Sends an event that says nothing of the state, unless the client is too slow for it.
    @discardableResult
    private func sendPassing(_ event: EncodedEvent, to connection: any RequestSource, limit: Int) -> Bool {
        let isAccepted = position.acceptsPassing(
            byteCount: event.count, pendingBytes: connection.pendingBytes, limit: limit)
        count(isAccepted ? .sent : .skipped)
        if isAccepted {
            clock.sent(now: loop.now)
            event.send(to: connection)
        }
        return isAccepted
    }

    /// Sends `closed` if there is a reason, and ends.
    override func end(_ reason: String?) { end(reason, retry: nil) }

    private func end(_ reason: String?, retry: Int?) {
        if let reason {
            count(.sent)
            send(codec.closed(reason, retry: retry, at: session.now))
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
        environment.ended(self, of: session, at: position.lastSentRevision, byteCount, connection)
    }

    private func send(_ bytes: [UInt8]) { send(EncodedEvent(bytes)) }

    private func send(_ bytes: EncodedEvent) {
        guard let connection else { return }
        clock.sent(now: loop.now)
        bytes.send(to: connection)
    }

    private func scheduleHeartbeat() {
        if isOver { return }
        var delay = clock.timerDelay(now: loop.now)
        // The wall clock may step: it is looked at with each heartbeat.
        if let expiresAt { delay = min(delay, .milliseconds(max(1, expiresAt - session.now))) }
        phase = .open(loop.schedule(after: delay) { [self] in heartbeatDue() })
    }

    private var heartbeat: [UInt8] { codec.heartbeat(isEvent: namesHeartbeats, at: session.now) }

    private func heartbeatDue() {
        guard let connection else { return }
        if let expiresAt, expiresAt <= session.now { return end("expired") }
        let action = clock.timerFired(
            now: loop.now, pendingBytes: connection.pendingBytes,
            nextInterval: StreamTiming.heartbeatInterval(settings.heartbeat, .jitter))
        if action == .rotate { return end("rotated") }
        // A session that is found again after a restart counts as used while it was watched.
        session.recordUse(at: session.sessionTime, every: session.runtime.limits.useInterval)
        if action == .sendHeartbeat { send(heartbeat) }
        scheduleHeartbeat()
    }
}

extension EventStream: StreamHandler {
    func streamDrained() {
        if shows.contains(.presence), !presence.isUpToDate { session.existingEvents?.tellMissedPresence() }
        guard position.flushed(), let newest = session.events.newest(for: self) else { return }
        if case .now(let newest) = newest { return catchUp(newest, of: position.skippedCount) }
        let (stream, skippedCount) = (LoopBound(self, on: loop), position.skippedCount)
        Task(executorPreference: loop) {
            guard let newest = try? await newest.value() else { return }
            stream.valueIfCurrent?.catchUp(newest, of: skippedCount)
        }
    }

    /// - Parameter skippedCount: how many events the client had missed when the value was read.
    private func catchUp(_ newest: NewestValue, of skippedCount: Int) {
        let event = newest.event
        // A client that was sent no event of an action has to learn that, even if the value is unchanged.
        let skipped = position.caughtUp(
            revision: event.revision,
            lastChangedRevision: shows.contains(.actions) ? event.revision : event.lastChangedRevision,
            of: skippedCount)
        guard let connection else { return }
        if let skipped {
            count(.sent)
            count(.merged, skipped)
            send(codec.encode(event, skipped: skipped, at: session.now))
            sync?.sent(through: newest.decision, namesOwn: event.through != .tooMany)
        }
        if let ready = newest.ready, sync?.needs(ready) == true { sendReady(ready) }
        if connection.pendingBytes == 0 { streamDrained() }
    }

    func streamClosed() { release() }

    func streamShouldEnd(among streamCount: Int) {
        end("draining", retry: StreamTiming.retry(among: streamCount, .jitter))
    }
}
