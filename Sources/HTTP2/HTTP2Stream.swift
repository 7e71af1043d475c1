import HTTP
import HTTPServer
import Platform
import Sockets

/// One request of a connection of HTTP/2, and the part of its response that the client has not taken. On its loop only.
final class HTTP2Stream {
    /// How many bytes may be collected in a turn of the loop before they count as waiting.
    private static let maxCollectedBytes = 16384

    let number: Int32
    /// Whether the client has sent the whole request.
    var isComplete: Bool
    /// Whether the response ends behind the queue.
    private var isEnded = false
    /// Whether nghttp2 asks for no bytes until it is told that there are some.
    private var isDeferred = false
    /// Whether bytes are left that were offered to the client.
    private(set) var isWaiting = false
    private unowned let connection: HTTP2Connection
    /// Nil if it could not be read.
    let request: CarriedRequest?
    /// The bytes that wait for the window of the client, or for its connection.
    @exclusivity(unchecked) private(set) var queue = OutputQueue()
    /// When the client took bytes last, or when the first of them began to wait.
    private var lastTakenAt: MonotonicInstant

    init(_ number: Int32, _ request: CarriedRequest?, of connection: HTTP2Connection, isComplete: Bool) {
        self.number = number
        self.request = request
        self.connection = connection
        self.isComplete = isComplete
        lastTakenAt = connection.now
        request?.carrier = self
    }

    /// Whether nothing of the response is left.
    var isOver: Bool { isEnded && queue.isEmpty }

    func write(_ bytes: [UInt8]) {
        connection.outgoing.waitingBytes += bytes.count
        queue.append(bytes)
        touch()
    }

    private func touch() {
        connection.touch(self, resumes: isDeferred)
        isDeferred = false
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

    /// All bytes were offered to the client.
    func offered() {
        let wasWaiting = isWaiting
        isWaiting = !queue.isEmpty
        if isWaiting, !wasWaiting { lastTakenAt = connection.now }
        if wasWaiting, !isWaiting { request?.drained() }
    }

    /// Gives up what waits.
    ///
    /// - Returns: how many bytes that was.
    func drop() -> Int {
        defer { queue.removeAll() }
        return queue.byteCount
    }
}

extension HTTP2Stream: ResponseCarrier {
    var isFull: Bool { connection.isFull }

    var pendingBytes: Int { isWaiting ? queue.byteCount : 0 }

    func respond(_ response: Response, to head: RequestHead) {
        connection.respond(self, response, ResponseEncoder(answering: head), request?.requestID ?? "")
    }

    func startStream(_ response: Response, to head: RequestHead) {
        connection.startStream(self, response, ResponseEncoder(answering: head), request?.requestID ?? "")
    }

    func send(_ array: [UInt8], _ range: Range<Int>) {
        write(connection.outgoing.piece(array, range))
        waitIfFull()
    }

    func send(_ parts: [[UInt8]]) {
        for part in parts { write(part) }
        waitIfFull()
    }

    /// Lets the source of the stream wait if so much was collected in a turn.
    private func waitIfFull() {
        guard queue.byteCount > Self.maxCollectedBytes, !isWaiting else { return }
        isWaiting = true
        lastTakenAt = connection.now
    }

    func endStream() {
        isEnded = true
        touch()
    }

    func cancel() { connection.reset(self, .cancelled) }
}

extension HTTP2Stream: StreamClient {
    var heldBytes: Int { queue.heldBytes }

    var stalledTime: Duration { isWaiting ? lastTakenAt.duration(to: connection.now) : .zero }

    func disconnect() {
        if let request, request.isStream { request.disconnect() } else { cancel() }
    }

    func streamShouldEnd(among streamCount: Int) { request?.streamShouldEnd(among: streamCount) }
}
