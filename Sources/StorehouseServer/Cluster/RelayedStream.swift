import HTTP
import HTTPServer
import Sockets
import Stores

/// The event stream of a client whose session another node has: passes its bytes on. On its client's loop only.
final class RelayedStream {
    private var client: HTTPConnection?
    private let source: PeerConnection
    private let loop: any EventLoop
    private let format: StreamFormat
    private let settings: EventStream.Settings
    private let clock: WallClock
    /// The last two bytes for the client. An event ends with an empty line, and a line for a terminal with its end.
    private var tail: [UInt8] = [0x0a, 0x0a]
    private var lastReceived: LoopInstant
    /// Whether nothing is read, because the client is slow.
    private var isPaused = false
    private var timer: LoopTimer?

    /// - Parameter source: the connection to the node that has the session.
    init(
        _ source: PeerConnection, on loop: any EventLoop, _ format: StreamFormat, _ settings: EventStream.Settings,
        _ clock: WallClock
    ) {
        self.source = source
        self.loop = loop
        self.format = format
        self.settings = settings
        self.clock = clock
        lastReceived = loop.now
    }

    /// Begins to pass on what the source sends.
    func start(to client: HTTPConnection) {
        self.client = client
        watchSource()
        source.stream(to: self)
    }

    /// A node that is cut off from this one cannot say so: its stream is only silent.
    private func watchSource() {
        timer = loop.schedule(after: settings.heartbeat) { [self] in
            guard isPaused || lastReceived.duration(to: loop.now) < settings.heartbeat * 2.5 else { return end() }
            watchSource()
        }
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        lastReceived = loop.now
        tail = Array((tail + bytes.suffix(2)).suffix(2))
        send([UInt8](bytes))
        // The other node then skips events, as it does for a slow client of its own.
        guard let client, client.pendingBytes > settings.bufferBytes else { return }
        isPaused = true
        source.pause()
    }

    /// The other node has ended the stream, or is gone.
    func sourceClosed() { end() }

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

    private func stop() {
        if let timer { loop.cancel(timer) }
        timer = nil
        client = nil
        source.close()
    }

    private var isBetweenEvents: Bool {
        if case .text = format { tail.last == 0x0a } else { tail == [0x0a, 0x0a] }
    }
}

extension RelayedStream: StreamHandler {
    func streamDrained() {
        (isPaused, lastReceived) = (false, loop.now)
        source.resume()
    }

    func streamClosed() { stop() }

    func streamShouldEnd(among streamCount: Int) {
        if isBetweenEvents {
            let retry = StreamTiming.retry(among: streamCount, .jitter)
            send(format.closed("draining", retry: retry, at: clock.now()))
        }
        end()
    }
}
