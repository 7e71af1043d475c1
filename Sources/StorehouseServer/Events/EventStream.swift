import HTTP
import Sockets
import Stores

/// One client that watches one selection of a session. On its connection's loop only.
final class EventStream {
    struct Settings: Sendable {
        /// A comment is sent after so long a silence.
        var heartbeat = Duration.seconds(15)
        /// How many bytes may wait for a client before it is moved to the newest value.
        var bufferBytes = 65536
        var mostPerSession = 64
    }

    static let fields: [Response.Field] = [
        .init("Content-Type", "text/event-stream; charset=utf-8"),
        .init("Cache-Control", "no-store, no-transform"),
        .init("X-Accel-Buffering", "no"),
        .init("X-Content-Type-Options", "nosniff"),
    ]

    let selection: Selection
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
    private var lastSent: LoopInstant
    private var timer: LoopTimer?

    /// - Parameter ended: called once the stream is over.
    init(
        _ session: Session, _ selection: Selection, _ settings: Settings, on loop: any EventLoop,
        ended: @escaping @Sendable () -> Void
    ) {
        self.session = session
        self.selection = selection
        self.settings = settings
        self.ended = ended
        self.loop = loop
        lastSent = loop.now
    }

    /// Starts to show events, from `first` on, or from the next one where the client has seen that.
    func start(on connection: HTTPConnection, first: StateEvent, lastEventID: String?) {
        self.connection = connection
        shown = first.revision
        var bytes = ServerSentEvent(retry: 2000, comment: "storehouse").bytes
        if !hasSeen(first, lastEventID) { bytes += first.encoded() }
        send(bytes)
        waitForSilence()
    }

    /// Shows an event, in the framing that the connection needs; one that is older than what was shown is passed over.
    func show(_ frame: EventFrame) {
        guard frame.revision > shown, let connection else { return }
        let bytes = connection.streamIsChunked ? frame.chunk : frame.plain
        let pending = connection.pendingBytes
        guard skipped == 0, pending == 0 || pending + bytes.count <= settings.bufferBytes else {
            skipped += 1
            return
        }
        shown = frame.revision
        lastSent = loop.now
        connection.send(framed: bytes)
    }

    /// Says why, and ends.
    func end(_ reason: String) {
        send(ServerSentEvent(event: "closed", data: Array("{\"reason\":\"\(reason)\"}".utf8)).bytes)
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

    private func hasSeen(_ first: StateEvent, _ lastEventID: String?) -> Bool {
        guard let seen = lastEventID.flatMap(EventID.init), seen.history == first.history else { return false }
        return seen.revision >= first.changedAt && seen.revision <= first.revision
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
        let silence = lastSent.duration(to: loop.now)
        timer = loop.schedule(after: settings.heartbeat - silence) { [self] in silenceMayBeOver() }
    }

    private func silenceMayBeOver() {
        guard let connection else { return }
        // To a client that does not even read what there is, a heartbeat says nothing.
        if lastSent.duration(to: loop.now) >= settings.heartbeat {
            if connection.pendingBytes == 0 { send(ServerSentEvent(comment: "").bytes) } else { lastSent = loop.now }
        }
        waitForSilence()
    }
}

extension EventStream: StreamOwner {
    func streamDrained() {
        guard skipped > 0, let newest = session.events.newest(selection) else { return }
        // The newest of those left out is shown now.
        let leftOut = skipped - 1
        skipped = 0
        guard newest.changedAt > shown else { return }
        shown = newest.revision
        send(newest.encoded(skipped: leftOut))
    }

    func streamClosed() { leave() }

    func streamShouldEnd() { end("draining") }
}
