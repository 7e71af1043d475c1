import HTTP
import HTTPServer
import Platform
import Sockets
import Threads

/// A connection of HTTP/2 (RFC 9113) with its requests. On its loop only.
///
/// nghttp2 does the framing. A request becomes the same value as one of HTTP/1.1, so nobody else knows which protocol it came by.
final class HTTP2Connection {
    /// How many requests and streams a connection may have at once.
    private static let maxStreams: UInt32 = 100
    /// While more bytes than this wait in the channel, no more frames are made: what they carry waits in its stream.
    static let maxPendingBytes = 65536

    /// Nil once it is closed.
    private(set) var connection: HTTPConnection?
    let settings: HTTPServer.Settings
    let loop: any EventLoop
    private(set) var session: HTTP2Session?
    // Accesses to the unchecked properties cannot overlap, because nothing else is called during one.
    @exclusivity(unchecked) private(set) var streams: [HTTP2Stream] = []
    @exclusivity(unchecked) var incoming: HTTP2Incoming
    @exclusivity(unchecked) var outgoing = HTTP2Outgoing()
    @exclusivity(unchecked) var abuse: HTTP2Abuse
    /// When the last request ended.
    @exclusivity(unchecked) private var idleSince: MonotonicInstant
    // Its closure refers to this object until the connection closes. A weak one would make each later retain dearer.
    private var timer: LoopTimer?
    private(set) var isDraining = false
    /// Whether it reads nothing, until the client has taken what was sent.
    private var isPaused = false

    /// Takes over a connection; nil without memory.
    init?(_ connection: HTTPConnection) {
        settings = connection.settings
        loop = connection.loop
        idleSince = loop.now
        incoming = HTTP2Incoming(since: loop.now)
        abuse = HTTP2Abuse(now: loop.now)
        session = HTTP2Session(of: self, maxStreams: Self.maxStreams, maxHeadBytes: settings.limits.maxHeaderBytes)
        guard session != nil else { return nil }
        self.connection = connection
    }

    var now: MonotonicInstant { loop.now }

    func add(_ stream: HTTP2Stream) {
        stream.index = Int32(streams.count)
        streams.append(stream)
        session?.begin(stream)
    }

    func remove(_ stream: HTTP2Stream) {
        let last = streams.removeLast()
        if last !== stream {
            last.index = stream.index
            streams[Int(stream.index)] = last
        }
        stream.isClosed = true
        idleSince = now
    }

    /// Looks again and again for what takes too long.
    private func watch() {
        timer = loop.schedule(after: min(settings.headerTimeout, settings.idleTimeout) / 2) { [self] in
            timer = nil
            endWhatTakesTooLong()
            if connection != nil { watch() }
        }
    }

    private func endWhatTakesTooLong() {
        let limit = settings.idleTimeout
        if let connection, connection.stalledTime >= limit { return connection.disconnect() }
        if incoming.incompleteTime(at: now) >= settings.headerTimeout { return terminate(.none) }
        for stream in streams where stream.stalledTime >= limit { stream.disconnect() }
        if let idleTime, idleTime >= limit { terminate(.none) }
    }

    /// Sends the reason, and ends.
    func terminate(_ code: HTTP2Session.Code) {
        session?.terminate(code)
        flushSoon()
    }
}

extension HTTP2Connection: StreamHandler {
    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        guard let session, let connection else { return }
        // The first bytes say that the connection is really given to this: before, nobody would end the timer.
        if timer == nil { watch() }
        guard session.receive(bytes) else {
            self.session = nil
            return connection.disconnect()
        }
        for stream in incoming.takeBegun() { stream.request?.awaitBody() }
        flushSoon()
        isPaused = connection.pendingBytes > Self.maxPendingBytes
        if isPaused { connection.pauseReading() }
    }

    func streamDrained() {
        if outgoing.isCutShort { flushSoon() }
        guard isPaused else { return }
        isPaused = false
        connection?.resumeReading()
    }

    func streamClosed() {
        if let timer = timer.take() { loop.cancel(timer) }
        connection = nil
        for stream in streams { stream.request?.closed() }
        streams = []
        _ = incoming.takeBegun()
        settings.output.add(outgoing.end())
        session = nil
    }

    var clients: [any StreamClient]? { streams }

    var idleTime: Duration? { streams.isEmpty ? idleSince.duration(to: now) : nil }

    func closeIdle() { terminate(.none) }

    var unfinishedInput: (byteCount: Int, since: MonotonicInstant)? {
        let requests = unfinishedRequests
        guard let since = requests.map(\.requestStartedAt).min() else { return nil }
        return (requests.reduce(0) { $0 + $1.unfinishedBytes }, since)
    }

    func cutInput() {
        for request in unfinishedRequests { request.refuseOverload() }
    }

    private var unfinishedRequests: [CarriedRequest] {
        streams.compactMap(\.request).filter { $0.isAwaited && $0.unfinishedBytes > 0 }
    }

    func drainBegins() {
        isDraining = true
        flushSoon()
    }

    /// Its clients are told.
    func streamShouldEnd(among streamCount: Int) {}

    func streamMustAnswer() {
        for stream in streams { stream.request?.mustAnswer() }
    }
}
