import Dispatch
import HTTP
import Locks
import Platform
import Sockets
import StorehouseServer
import Threads

/// A client's end of a connection to an API in memory. The client has no flow control, and cannot end its side alone.
final class MemoryConnection: Sendable {
    private struct Contents {
        /// The bytes of the API, one element for each write.
        var writes: [[UInt8]] = []
        /// Whether the API has closed the connection.
        var isAtEnd = false
        var waiting: CheckedContinuation<Void, any Error>?
        /// How often somebody has waited.
        var waits = 0

        var hasNews: Bool { isAtEnd || !writes.isEmpty }
    }

    /// The API's end. On the loop only.
    private final class Carrier: ChannelCarrier {
        var channel: Channel?
        private let change: ((inout Contents) -> Void) -> Void

        init(_ change: @escaping ((inout Contents) -> Void) -> Void) { self.change = change }

        func send(_ parts: UnsafeMutableBufferPointer<iovec>, on channel: Channel) -> Int {
            var write: [UInt8] = []
            for part in parts { write += UnsafeRawBufferPointer(start: part.iov_base, count: Int(part.iov_len)) }
            change { $0.writes.append(write) }
            return write.count
        }

        func closed(_ channel: Channel) {
            self.channel = nil
            change { $0.isAtEnd = true }
        }
    }

    private let loop: any EventLoop
    private let carrier: LoopBound<Carrier>
    // Guards what has come and who waits for it. No continuation is resumed while it is held.
    private let contents: Locked<Contents>

    init(to api: InMemoryAPI) {
        let contents = Locked(Contents())
        self.contents = contents
        loop = api.loop
        let carrier = LoopBound(handing: Carrier { Self.change(contents, $0) }, to: loop.anchor)
        self.carrier = carrier
        loop.execute {
            guard let address = IPAddress("127.0.0.1") else { return }
            carrier.value.channel = api.connect(carrier.value, peer: address)
        }
        watch(since: 0)
    }

    func send(_ bytes: [UInt8]) {
        loop.execute { [carrier] in bytes.withUnsafeBytes { carrier.value.channel?.receive($0) } }
    }

    /// The client is gone.
    func close() { loop.execute { [carrier] in carrier.value.channel?.disconnect() } }

    /// Takes the bytes of one write of the API; nil if none have come, and empty at the end.
    func take() -> [UInt8]? {
        contents.withLock { contents in
            guard contents.hasNews else { return nil }
            return contents.writes.isEmpty ? [] : contents.writes.removeFirst()
        }
    }

    /// Waits until something has come, or the end, and gives up in the end.
    func news() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let hasNews = contents.withLock { contents in
                guard !contents.hasNews else { return true }
                contents.waiting = continuation
                contents.waits += 1
                return false
            }
            if hasNews { continuation.resume() }
        }
    }

    /// Ends a wait that takes too long. Not on the loop, which a fault may block.
    ///
    /// - Parameter waits: how often somebody had waited when it was looked last.
    private func watch(since waits: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Wire.waitTimeout)) { [weak self] in
            guard let self else { return }
            let (late, waitsNow) = contents.withLock { ($0.waits == waits ? $0.waiting.take() : nil, $0.waits) }
            late?.resume(throwing: Wire.Failure.tookTooLong)
            watch(since: waitsNow)
        }
    }

    private static func change(_ contents: Locked<Contents>, _ body: (inout Contents) -> Void) {
        let waiting = contents.withLock { contents in
            body(&contents)
            return contents.hasNews ? contents.waiting.take() : nil
        }
        waiting?.resume()
    }
}
