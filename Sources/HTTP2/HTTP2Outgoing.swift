import HTTP
import HTTPServer
import Sockets

/// The bytes of responses that have not become frames.
struct HTTP2Outgoing {
    /// The streams that were written to since frames were made, and those that have waited.
    fileprivate var touched: [HTTP2Stream] = []
    /// Whether frames were left, because so many bytes wait in the connection.
    fileprivate(set) var isCutShort = false
    /// How many bytes wait in the streams, and how many of them the budget counts.
    var waitingBytes = 0
    private var countedBytes = 0
    /// Whether frames are made at the end of this turn.
    fileprivate var willFlush = false
    /// Whether the client was told that the server drains.
    fileprivate var hasAnnouncedDrain = false
    /// The last piece that was sent, which the next streams often get too.
    private var shared: [UInt8] = []
    /// The array that it is a part of, and where. As long as the array is kept here, its address is that of no other one.
    private var (sharedSource, sharedAddress): ([UInt8], UnsafeRawPointer?) = ([], nil)

    /// A part of an array. There is one copy for all streams that get it one after another.
    mutating func piece(_ array: [UInt8], _ range: Range<Int>) -> [UInt8] {
        let address = array.withUnsafeBytes { $0.baseAddress.map { $0 + range.lowerBound } }
        if address != sharedAddress || shared.count != range.count {
            (shared, sharedSource, sharedAddress) = (Array(array[range]), array, address)
        }
        return shared
    }

    /// - Returns: the streams that were touched since the last time.
    fileprivate mutating func takeTouched() -> [HTTP2Stream] {
        if sharedAddress != nil { (shared, sharedSource, sharedAddress) = ([], [], nil) }
        var streams: [HTTP2Stream] = []
        swap(&streams, &touched)
        return streams
    }

    /// The memory of the streams that were taken is used for the next ones.
    fileprivate mutating func reuse(_ taken: inout [HTTP2Stream]) {
        taken.removeAll(keepingCapacity: true)
        if touched.isEmpty { swap(&taken, &touched) }
    }

    /// How many bytes frames for what waits have, about.
    fileprivate var expectedBytes: Int { touched.isEmpty ? 0 : waitingBytes + 160 * touched.count }

    /// - Returns: how many bytes more, or fewer, the budget has to count.
    fileprivate mutating func count() -> Int {
        defer { countedBytes = waitingBytes }
        return waitingBytes - countedBytes
    }

    /// Nothing waits any more.
    ///
    /// - Returns: how many bytes more, or fewer, the budget has to count.
    mutating func end() -> Int {
        waitingBytes = 0
        _ = takeTouched()
        return count()
    }
}

// The bytes of a connection for its client.
extension HTTP2Connection {
    /// Whether so much waits that the output budget decides about more of it.
    var isFull: Bool { outgoing.waitingBytes + (connection?.pendingBytes ?? 0) > Self.maxPendingBytes }

    func respond(
        _ stream: HTTP2Stream, _ response: Response, _ encoder: ResponseEncoder, _ requestID: String, hasBody: Bool
    ) {
        guard let connection else { return }
        var head = encoder.head(of: response, date: connection.date, requestID: requestID)
        session?.respond(stream, &head, hasBody: hasBody)
    }

    func startStream(_ stream: HTTP2Stream, _ response: Response, _ encoder: ResponseEncoder, _ requestID: String) {
        guard let connection else { return }
        var (encoder, head): (ResponseEncoder, [UInt8]) = (encoder, [])
        encoder.appendStreamHead(
            response.status, response.fields, date: connection.date, requestID: requestID, to: &head)
        session?.respond(stream, &head, hasBody: true)
        flushSoon()
    }

    /// The frame may wait for room in the connection. The bytes of the stream do not.
    func reset(_ stream: HTTP2Stream, _ code: HTTP2Session.Code) {
        outgoing.waitingBytes -= stream.drop()
        session?.reset(stream.number, code)
        flushSoon()
    }

    /// A stream has more bytes, or its end.
    func touch(_ stream: HTTP2Stream) {
        note(stream)
        flushSoon()
    }

    /// Frames were made of a stream, or will be.
    func note(_ stream: HTTP2Stream) {
        stream.isTouched = true
        outgoing.touched.append(stream)
    }

    /// Makes the frames of all streams at the end of this turn, for one system call.
    func flushSoon() {
        guard !outgoing.willFlush, connection != nil else { return }
        outgoing.willFlush = true
        loop.atEndOfTurn { [self] in flush() }
    }

    private func flush() {
        outgoing.willFlush = false
        guard let session, let connection else { return }
        let limit = Self.maxPendingBytes - connection.pendingBytes
        if isDraining, !outgoing.hasAnnouncedDrain, limit > 0 {
            outgoing.hasAnnouncedDrain = true
            session.drain()
        }
        for stream in outgoing.touched { stream.offer(to: session) }
        var output: [UInt8] = []
        output.reserveCapacity(min(max(0, limit) + 16_393, outgoing.expectedBytes))
        guard let frames = session.appendOutput(to: &output, upTo: limit) else { return connection.disconnect() }
        abuse.sent(frames: frames, bytes: output.count)
        outgoing.isCutShort = output.count >= limit
        if !output.isEmpty { connection.sendSoon(output) }
        lookAtTouched()
        let change = outgoing.count()
        if change != 0 { connection.addOutput(change) }
        // Otherwise the next frames are made when the client has taken these.
        if outgoing.isCutShort ? connection.pendingBytes == 0 : !outgoing.touched.isEmpty { flushSoon() }
        if session.isOver || outgoing.hasAnnouncedDrain && streams.isEmpty { connection.endProtocol() }
    }

    /// Frames were made of what the streams had, as far as there was room.
    private func lookAtTouched() {
        var streams = outgoing.takeTouched()
        for stream in streams {
            stream.isTouched = false
            guard !stream.isClosed else { continue }
            stream.offered()
            // The rest of a request that is answered is not wanted. The answer may still wait for room.
            guard stream.isAnsweredEarly else { continue }
            if !outgoing.isCutShort { reset(stream, .none) } else if !stream.isTouched { note(stream) }
        }
        outgoing.reuse(&streams)
    }
}
