import HTTP
import HTTPServer
import Platform
import Sockets

/// One request of a connection of HTTP/2, and the part of its response that the client has not taken. On its loop only.
final class HTTP2Stream {
    /// How many bytes may be collected in a turn of the loop before they count as waiting.
    private static let maxCollectedBytes = 16384

    // Each event reads the first properties, which are close together.
    let number: Int32
    /// The place among the streams of the connection.
    var index: Int32 = 0
    // Accesses to the unchecked properties cannot overlap, because nothing else is called during one.
    @exclusivity(unchecked) private(set) var progress = HTTP2Progress()
    /// Whether the client has sent the whole request.
    @exclusivity(unchecked) private(set) var isComplete: Bool
    /// Whether the connection looks at it when it makes frames.
    @exclusivity(unchecked) var isTouched = false
    /// Whether bytes are left that were offered to the client.
    @exclusivity(unchecked) private(set) var isWaiting = false
    @exclusivity(unchecked) var isClosed = false
    // Until it is closed, the connection refers to this too.
    private let connection: HTTP2Connection
    /// The bytes that wait for the window of the client, or for its connection.
    @exclusivity(unchecked) private(set) var queue = OutputQueue()
    /// Nil if it could not be read.
    let request: CarriedRequest?
    /// When the client took bytes last, or when the first of them began to wait.
    @exclusivity(unchecked) private var lastTakenAt: MonotonicInstant

    init(_ number: Int32, _ request: CarriedRequest?, of connection: HTTP2Connection, isComplete: Bool) {
        self.number = number
        self.request = request
        self.connection = connection
        self.isComplete = isComplete
        lastTakenAt = connection.now
        request?.carrier = self
    }

    func receivedEnd() {
        isComplete = true
        request?.bodyEnded()
    }

    func write(_ bytes: [UInt8]) {
        connection.outgoing.waitingBytes += bytes.count
        queue.append(bytes)
        if !isTouched { connection.touch(self) }
    }

    /// Has its bytes taken, if that is not under way.
    func offer(to session: HTTP2Session) {
        if !isClosed, progress.offers(hasBytes: !queue.isEmpty) { session.offer(self) }
    }

    /// Moves bytes into a frame.
    ///
    /// - Returns: their count, and the rest of the response.
    func take(_ buffer: UnsafeMutableRawBufferPointer) -> (count: Int, rest: HTTP2Progress.Rest) {
        let count = queue.move(to: buffer)
        connection.outgoing.waitingBytes -= count
        if isWaiting { lastTakenAt = connection.now }
        // A stream that has waited, if only with its end, is looked at behind the frames.
        if !isTouched { connection.note(self) }
        return (count, progress.taken(hasMore: !queue.isEmpty))
    }

    /// All bytes were offered to the client.
    func offered() {
        let wasWaiting = isWaiting
        isWaiting = !queue.isEmpty
        if isWaiting, !wasWaiting { lastTakenAt = connection.now }
        if wasWaiting, !isWaiting { request?.drained() }
    }

    /// Whether the client has the whole response before the server has the whole request.
    var isAnsweredEarly: Bool { progress.isOver && !isComplete }

    /// Gives up what waits.
    ///
    /// - Returns: how many bytes that was.
    func drop() -> Int {
        defer { queue.removeAll() }
        progress.cut()
        return queue.byteCount
    }
}

extension HTTP2Stream: ResponseCarrier {
    var isFull: Bool { connection.isFull }

    var pendingBytes: Int { isWaiting ? queue.byteCount : 0 }

    func respond(_ response: Response, to head: RequestHead) {
        respond(response, ResponseEncoder(answering: head), request?.requestID ?? "")
    }

    func respond(_ response: Response, _ encoder: ResponseEncoder, _ requestID: String) {
        let hasBody = encoder.sendsBody(of: response) && !response.body.isEmpty
        connection.respond(self, response, encoder, requestID, hasBody: hasBody)
        if hasBody { write(response.body) } else { progress.endWithHead() }
        endStream()
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
        progress.end()
        if !isTouched { connection.touch(self) }
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
