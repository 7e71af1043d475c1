import HTTP
import HTTPServer
import Platform
import Sessions
import Sockets
import Stores

/// The event stream of a client whose session another node has: passes its bytes on, and the events that it shares with other
/// clients. On its client's loop only.
final class RelayedStream {
    /// Its index in the list of the shared stream.
    var index = 0
    private var client: HTTPConnection?
    private var source: PeerConnection?
    private let loop: any EventLoop
    private var format = StreamFormat.state
    private let settings: EventStream.Settings
    /// How long a frame of a closed connection waits for shared events.
    private let maxWait: Duration
    private let clock: WallClock
    /// The last two bytes for the client. An event ends with an empty line, and a line for a terminal with its end.
    private var tail = RelayedStream.emptyLine
    private var lastReceived: MonotonicInstant
    /// Whether nothing is read, because the client is slow.
    private var isPaused = false
    private var timer: LoopTimer?
    /// The stream whose events it gets; nil if the source sends all events.
    private var shared: SharedStream?
    private var position: JoinedPosition
    /// Reads what the source sends of a client that has joined a shared stream; nil if the source sends plain events.
    private var parser: StreamFrameParser?
    /// Whether the initial events were passed on.
    private var isOpen = false
    /// The bytes of a frame that has not come completely.
    private var part: [UInt8] = []
    /// A frame that waits for shared events.
    private var last: (revision: Int, bytes: [UInt8])?
    private var isSourceClosed = false
    private var ended: (() -> Void)?

    private static let emptyLine: (UInt8, UInt8) = (0x0a, 0x0a)
    private static let heartbeat = StreamFormat.state.codec.heartbeat(isEvent: false, at: 0)
    /// A longer frame behind the initial events was not sent by a node.
    private static let maxFrameBytes = 65536

    /// - Parameters:
    ///   - shared: the stream that its client joins, if the other node agrees. Its events wait from now on.
    ///   - ended: is called once, also for a stream that never begins.
    init(
        joining shared: SharedStream?, on loop: any EventLoop, _ settings: EventStream.Settings, maxWait: Duration,
        _ clock: WallClock, ended: @escaping () -> Void
    ) {
        self.shared = shared
        self.loop = loop
        self.settings = settings
        self.maxWait = maxWait
        self.clock = clock
        self.ended = ended
        position = JoinedPosition(limit: settings.bufferBytes)
        lastReceived = loop.now
        shared?.add(self)
    }

    /// Begins to pass on what the source sends.
    ///
    /// - Parameters:
    ///   - source: the connection to the node that has the session.
    ///   - isJoined: whether the other node leaves out the shared events.
    func start(to client: HTTPConnection, from source: PeerConnection, _ format: StreamFormat, isJoined: Bool) {
        (self.client, self.source, self.format) = (client, source, format)
        if isJoined { parser = StreamFrameParser() } else { leave() }
        lastReceived = loop.now
        watchSource()
        source.stream(to: self)
    }

    /// Gives the connections up. The client is not told.
    func stop() {
        if let timer = timer.take() { loop.cancel(timer) }
        leave()
        source.take()?.close()
        client = nil
        ended.take()?()
    }

    private func leave() { shared.take()?.remove(self) }

    /// A node that is cut off from this one cannot say so: its stream is only silent. Shared events do not tell whether the other
    /// node still serves this client.
    private func watchSource() {
        timer = loop.schedule(after: settings.heartbeat) { [self] in
            guard isPaused || lastReceived.duration(to: loop.now) < settings.heartbeat * 2.5 else { return end() }
            watchSource()
        }
    }

    private func pass(_ bytes: UnsafeRawBufferPointer) {
        guard let newest = bytes.last else { return }
        // A heartbeat between two events is not the start of one.
        if !isBetweenEvents || !bytes.elementsEqual(Self.heartbeat) {
            tail = (bytes.count > 1 ? bytes[bytes.count - 2] : tail.1, newest)
        }
        send([UInt8](bytes))
        // The other node then skips events, as it does for a slow client of its own.
        guard let client, client.pendingBytes > settings.bufferBytes else { return }
        isPaused = true
        source?.pause()
    }

    private func send(_ bytes: [UInt8]) {
        guard let client else { return }
        guard client.streamIsChunked else { return client.send(framed: bytes) }
        var chunk: [UInt8] = []
        chunk.reserveCapacity(bytes.count + 16)
        ChunkedCoding.append(bytes, to: &chunk)
        client.send(framed: chunk)
    }

    private func end() {
        let client = client
        stop()
        client?.endStream()
    }

    private var isBetweenEvents: Bool {
        if case .commits = format.content { tail.1 == 0x0a } else { tail == Self.emptyLine }
    }
}

extension RelayedStream: PeerStream {
    func received(_ bytes: UnsafeRawBufferPointer) {
        lastReceived = loop.now
        guard parser != nil else { return pass(bytes) }
        var bytes = bytes
        while let element = parser?.next(&bytes) {
            switch element {
            case .line: break
            case .part(let revision, let part, let isLast) where !isOpen:
                pass(part)
                if isLast { open(at: revision) }
            case .part(let revision, let piece, let isLast):
                guard part.count + piece.count <= Self.maxFrameBytes else { return end() }
                part.append(contentsOf: piece)
                if isLast { finish(revision) }
            case .rest(let rest): pass(rest)
            case .malformed: return end()
            }
        }
    }

    func sourceClosed() {
        isSourceClosed = true
        guard last != nil, position.isFollowing else { return end() }
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: maxWait) { [self] in end() }
    }
}

// Shared events.
extension RelayedStream {
    private func open(at revision: Int) {
        isOpen = true
        guard let frames = position.open(at: revision) else { return leaveSharedStream() }
        for frame in frames { take(frame) }
    }

    /// The whole of a frame is there. It is passed on behind the shared events that belong before it.
    private func finish(_ revision: Int) {
        let bytes = part
        part = []
        if position.hasEvents(upTo: revision) { bytes.withUnsafeBytes(pass) } else { last = (revision, bytes) }
    }

    /// A shared event is there.
    func take(_ frame: EventFrame) {
        // The stream has ended before this event, and the event before it was left out.
        if let last, frame.revision > last.revision { return end() }
        switch position.take(frame, pendingBytes: client?.pendingBytes ?? 0) {
        case .ignore: return
        case .leave: return leaveSharedStream()
        case .send: break
        }
        guard let client else { return }
        tail = Self.emptyLine
        frame.event.send(to: client)
        guard let last, position.hasEvents(upTo: last.revision) else { return }
        self.last = nil
        last.bytes.withUnsafeBytes(pass)
        if isSourceClosed { end() }
    }

    /// Asks the source for all events from now on.
    private func leaveSharedStream() {
        leave()
        source?.write(StreamFraming.line(position.revision, position.sentCount))
    }

    /// The client goes on by itself, or resumes if the other node has closed its connection too.
    func sharedStreamEnded() {
        if position.sharedStreamEnded() { leaveSharedStream() }
        if isSourceClosed { end() }
    }
}

extension RelayedStream: StreamHandler {
    func streamDrained() {
        (isPaused, lastReceived) = (false, loop.now)
        source?.resume()
    }

    func streamClosed() { stop() }

    func streamShouldEnd(among streamCount: Int) {
        if isBetweenEvents {
            let retry = StreamTiming.retry(among: streamCount, .jitter)
            send(format.codec.closed("draining", retry: retry, at: clock.now()))
        }
        end()
    }
}
