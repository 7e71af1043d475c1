import HTTP
import HTTPServer
import Sessions
import Stores

/// The event stream of a client whose session another node has: passes its bytes on. On its client's loop only.
final class RelayedStream {
    // Accesses to the unchecked properties cannot overlap, because nothing else is called during one.
    @exclusivity(unchecked) private var client: (any RequestSource)?
    @exclusivity(unchecked) private var source: LinkedStream?
    private let format: StreamFormat
    private let bufferBytes: Int
    private let clock: WallClock
    /// The last two bytes for the client. An event ends with an empty line, and a line for a terminal with its end.
    @exclusivity(unchecked) private var tail: (UInt8, UInt8) = (0x0a, 0x0a)
    /// How many bytes came that the client is too slow for.
    private var excess = 0
    /// Is called once, with the first event that came once for several clients.
    @exclusivity(unchecked) private var shared: (() -> Void)?

    private static let heartbeat = StreamFormat.state.codec.heartbeat(isEvent: false, at: 0)

    /// - Parameter bufferBytes: how many bytes may wait for the client before no more are asked for.
    init(
        from source: LinkedStream, _ format: StreamFormat, bufferBytes: Int, _ clock: WallClock,
        shared: @escaping () -> Void
    ) {
        self.source = source
        self.format = format
        self.bufferBytes = bufferBytes
        self.clock = clock
        self.shared = shared
    }

    func start(to client: any RequestSource) { self.client = client }

    /// Gives both ends up.
    private func end() {
        source.take()?.cancel()
        client.take()?.endStream()
    }

    private var isBetweenEvents: Bool {
        if case .commits = format.content { tail.1 == 0x0a } else { tail == (0x0a, 0x0a) }
    }
}

extension RelayedStream: LinkedStreamReceiver {
    func received(_ piece: StreamPiece) -> Bool {
        let (count, end) = (piece.payload.count, piece.payload.upperBound)
        guard let client, count > 0 else { return true }
        if piece.isShared, let shared = shared.take() { shared() }
        // A heartbeat between two events is not the start of one.
        if count != Self.heartbeat.count || !isBetweenEvents || !piece.bytes.elementsEqual(Self.heartbeat) {
            tail = (count > 1 ? piece.chunk[end - 2] : tail.1, piece.chunk[end - 1])
        }
        client.send(chunk: piece.chunk, payload: piece.payload)
        // The other node then skips events, as it does for a slow client of its own.
        guard client.pendingBytes > bufferBytes else { return true }
        excess += count
        return false
    }

    func sourceEnded() {
        source = nil
        end()
    }
}

extension RelayedStream: StreamHandler {
    func streamDrained() {
        guard excess > 0 else { return }
        source?.take(excess)
        excess = 0
    }

    func streamClosed() {
        client = nil
        end()
    }

    func streamShouldEnd(among streamCount: Int) {
        if isBetweenEvents, let client {
            let retry = StreamTiming.retry(among: streamCount, .jitter)
            client.send(parts: [format.codec.closed("draining", retry: retry, at: clock.now())])
        }
        end()
    }
}
