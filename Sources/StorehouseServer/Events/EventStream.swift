import HTTP
import HTTPServer
import Sockets
import StoreHosting
import Stores

/// One client that watches a session. On its connection's loop only.
final class EventStream {
    struct Settings: Sendable {
        /// A comment is sent after so long a silence at most.
        var heartbeat = Duration.seconds(15)
        /// How many bytes may wait for a client before it is moved to the newest value.
        var bufferBytes = 65536
        var mostPerSession = 64
        /// A stream ends after that long at most, so that its client comes back; zero for never.
        var maxLifetime = Duration.zero
    }

    static func fields(_ form: StreamSubscription.Form) -> [Response.Field] {
        [.init("Content-Type", form.contentType)] + fields
    }

    private static let fields: [Response.Field] = [
        .init("Cache-Control", "no-store, no-transform"),
        .init("X-Accel-Buffering", "no"),
        .init("X-Content-Type-Options", "nosniff"),
    ]

    let view: StreamSubscription
    /// Whether it shows what happens to effects.
    let showsEffects: Bool
    let loop: any EventLoop
    /// Where it stands in its audience.
    var place = 0

    private let session: Session
    private let settings: Settings
    private let ended: @Sendable () -> Void
    private var connection: HTTPConnection?
    /// The newest revision that it has shown.
    private var shown = -1
    /// How many events were left out since, because the client reads slowly.
    private var skipped = 0
    private var isCatchingUp = false
    private var lastSent: LoopInstant
    /// How long this silence may last.
    private var silence: Duration
    /// When it ends so that its client comes back; nil for never.
    private let rotatesAt: LoopInstant?
    private var timer: LoopTimer?

    /// - Parameter ended: called once the stream is over.
    init(
        _ session: Session, _ view: StreamSubscription, showsEffects: Bool, _ settings: Settings,
        on loop: any EventLoop,
        ended: @escaping @Sendable () -> Void
    ) {
        self.session = session
        self.view = view
        self.showsEffects = showsEffects
        self.settings = settings
        self.ended = ended
        self.loop = loop
        lastSent = loop.now
        silence = StreamTiming.silence(settings.heartbeat, .jitter)
        rotatesAt = StreamTiming.lifetime(settings.maxLifetime, .jitter).map(loop.now.advanced)
    }

    /// Starts to show events.
    func start(on connection: HTTPConnection, _ opening: InitialEvents) {
        self.connection = connection
        var bytes = view.form.greeting(retry: StreamTiming.retry(.jitter))
        switch opening {
        case .value(let event):
            shown = event.revision
            bytes += view.form.value(event, at: session.now)
        case .missed(let revision, let events):
            shown = revision
            bytes += events
        }
        send(bytes)
        waitForSilence()
    }

    /// Shows an event, in the framing that the connection needs; one that is older than what was shown is passed over.
    func show(_ frame: EventFrame) {
        guard frame.revision > shown, let connection else { return }
        let bytes = frame.bytes.framed(asChunk: connection.streamIsChunked)
        let pending = connection.pendingBytes
        guard skipped == 0, pending == 0 || pending + bytes.count <= settings.bufferBytes else {
            skipped += 1
            return
        }
        shown = frame.revision
        lastSent = loop.now
        connection.send(framed: bytes)
    }

    /// Shows what has happened to an effect; left out for good where the client reads too slowly.
    func show(_ frame: EffectFrame) {
        guard skipped == 0, let connection else { return }
        let bytes = frame.bytes.framed(asChunk: connection.streamIsChunked)
        let pending = connection.pendingBytes
        // A line for a terminal is hardly longer than the event that it stands for.
        guard pending == 0 || pending + bytes.count <= settings.bufferBytes else { return }
        if case .text(let inColor) = view.form {
            return send(TerminalLines.line(of: frame.event, at: session.now, inColor: inColor))
        }
        lastSent = loop.now
        connection.send(framed: bytes)
    }

    /// Says why, if there is a reason to tell, and ends.
    func end(_ reason: String?, retry: Int? = nil) {
        if let reason { send(view.form.closed(reason, retry: retry, at: session.now)) }
        let connection = connection
        leave()
        connection?.endStream()
    }

    /// Forgets the connection, which knows it no more, and all that would keep it alive.
    private func leave() {
        if let timer { loop.cancel(timer) }
        timer = nil
        connection = nil
        session.events.remove(self)
        ended()
    }

    private func send(_ bytes: [UInt8]) {
        guard let connection else { return }
        lastSent = loop.now
        if connection.streamIsChunked {
            var chunk: [UInt8] = []
            ChunkedCoding.append(bytes, to: &chunk)
            connection.send(framed: chunk)
        } else {
            connection.send(framed: bytes)
        }
    }

    /// The timer is set once for each silence, not for each event: it looks again when it fires.
    private func waitForSilence() {
        let now = loop.now
        let rest = silence - lastSent.duration(to: now)
        let life = rotatesAt.map { now.duration(to: $0) } ?? rest
        timer = loop.schedule(after: min(rest, life)) { [self] in timeHasPassed() }
    }

    private func timeHasPassed() {
        guard let connection else { return }
        if let rotatesAt, rotatesAt <= loop.now { return end("rotated") }
        // Whoever finds the session after the process has ended should know that it was in use.
        session.journal?.recordUse(at: session.now)
        // To a client that does not even read what there is, a heartbeat says nothing.
        if lastSent.duration(to: loop.now) >= silence {
            silence = StreamTiming.silence(settings.heartbeat, .jitter)
            if connection.pendingBytes == 0 {
                send(view.form.heartbeat(at: session.now))
            } else {
                lastSent = loop.now
            }
        }
        waitForSilence()
    }
}

extension EventStream: StreamHandler {
    func streamDrained() {
        guard skipped > 0, !isCatchingUp else { return }
        isCatchingUp = true
        let stream = LoopBound(self, on: loop)
        session.events.newest(view) { [loop] newest in
            if loop.isCurrent { stream.value.catchUp(newest) } else { loop.execute { stream.value.catchUp(newest) } }
        }
    }

    private func catchUp(_ newest: StateEvent) {
        isCatchingUp = false
        guard connection != nil else { return }
        // The newest of those left out is shown now.
        let leftOut = skipped - 1
        skipped = 0
        guard newest.changedAt > shown else { return }
        shown = newest.revision
        send(view.form.value(newest, skipped: leftOut, at: session.now))
    }

    func streamClosed() { leave() }

    func streamShouldEnd() { end("draining", retry: StreamTiming.retry(whereAllEnd: true, .jitter)) }
}

/// When a stream does what it does by the clock.
///
/// All of it is spread at random, so that streams that were opened together do not go on together. `random` is between 0 and 1.
package enum StreamTiming {
    /// How long a stream is silent before a comment breaks it: a little less than `heartbeat`.
    package static func silence(_ heartbeat: Duration, _ random: Double) -> Duration {
        heartbeat * (0.9 + 0.09 * random)
    }

    /// How long a stream lives: from 80% of the longest on; nil for ever.
    package static func lifetime(_ longest: Duration, _ random: Double) -> Duration? {
        longest > .zero ? longest * (0.8 + 0.2 * random) : nil
    }

    /// How long a client waits before it connects again, in milliseconds: two seconds and a bit, longer where all streams end.
    package static func retry(whereAllEnd: Bool = false, _ random: Double) -> Int {
        2000 + Int((whereAllEnd ? 4000 : 1000) * random)
    }
}

extension Double {
    /// Between 0 and 1.
    static var jitter: Double { .random(in: 0...1) }
}
