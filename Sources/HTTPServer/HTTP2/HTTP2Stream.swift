import Platform
import Sockets

/// One request of a connection of HTTP/2, and the part of its response that the client has not taken. On its loop only.
final class HTTP2Stream {
    let number: Int32
    private unowned let connection: HTTP2Connection
    /// Nil for a request that could not be read.
    var request: MultiplexedRequest?
    /// The bytes that wait for the window of the client, or for its connection.
    @exclusivity(unchecked) private(set) var queue = OutputQueue()
    /// When the client took bytes last, or when the first of them began to wait.
    private var lastTakenAt: MonotonicInstant
    /// Whether the response ends behind the queue.
    private(set) var isEnded = false
    /// Whether nghttp2 asks for no bytes until it is told that there are some.
    private var isDeferred = false
    /// Whether bytes are left that were offered to the client.
    private(set) var isWaiting = false
    /// Whether the client has sent the whole request.
    var isComplete: Bool

    init(_ number: Int32, of connection: HTTP2Connection, isComplete: Bool) {
        self.number = number
        self.connection = connection
        self.isComplete = isComplete
        lastTakenAt = connection.now
    }

    /// - Returns: whether nghttp2 has to be told.
    func append(_ bytes: [UInt8]) -> Bool {
        queue.append(bytes)
        return isDeferred.take()
    }

    /// - Returns: whether nghttp2 has to be told.
    func end() -> Bool {
        isEnded = true
        return isDeferred.take()
    }

    /// Moves bytes into a frame.
    ///
    /// - Returns: their count; nil if none are there now, though the response has not ended.
    func take(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard !queue.isEmpty else {
            isDeferred = !isEnded
            return isEnded ? 0 : nil
        }
        var count = 0
        queue.withParts { parts in
            for part in parts {
                let length = min(part.iov_len, buffer.count - count)
                guard length > 0, let bytes = part.iov_base else { return }
                buffer.baseAddress?.advanced(by: count).copyMemory(from: bytes, byteCount: length)
                count += length
            }
        }
        queue.consume(count)
        lastTakenAt = connection.now
        return count
    }

    /// So much was collected in a turn that its source has to wait.
    func startWaiting() {
        guard !isWaiting else { return }
        isWaiting = true
        lastTakenAt = connection.now
    }

    /// Gives up what waits.
    ///
    /// - Returns: how many bytes that was.
    func drop() -> Int {
        defer { queue = OutputQueue() }
        return queue.byteCount
    }

    /// All bytes were offered to the client.
    func offered() {
        let wasWaiting = isWaiting
        isWaiting = !queue.isEmpty
        if isWaiting {
            if !wasWaiting { lastTakenAt = connection.now }
            request?.startWaiting()
        } else if wasWaiting {
            request?.wasTaken(isAll: true)
        }
    }
}

extension HTTP2Stream: StreamClient {
    var heldBytes: Int { queue.heldBytes }

    var stalledTime: Duration { isWaiting ? lastTakenAt.duration(to: connection.now) : .zero }

    func disconnect() {
        if let request, request.isStream { return request.disconnect() }
        connection.reset(self, .cancelled)
    }

    func streamShouldEnd(among streamCount: Int) { request?.streamShouldEnd(among: streamCount) }
}

extension Bool {
    /// Its value, which becomes false.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}
