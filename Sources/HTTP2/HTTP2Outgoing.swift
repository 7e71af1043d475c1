import HTTP
import HTTPServer
import Sockets

/// The bytes of responses that have not become frames.
struct HTTP2Outgoing {
    /// The streams that were written to since frames were made, and those of which bytes were taken.
    fileprivate var touched: [HTTP2Stream] = []
    /// How many bytes wait in the streams, and how many of them the budget counts.
    var waitingBytes = 0
    private var countedBytes = 0
    /// Whether frames are made at the end of this turn.
    fileprivate var willFlush = false
    /// Whether the client was told that the server drains.
    fileprivate var hasAnnouncedDrain = false
    /// The last piece that was sent, which the next streams often get too.
    private var shared: [UInt8] = []
    /// The array that it is a part of, and where. While it is kept, no other array is there.
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
        (shared, sharedSource, sharedAddress) = ([], [], nil)
        defer { touched.removeAll(keepingCapacity: true) }
        return touched
    }

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

    func respond(_ stream: HTTP2Stream, _ response: Response, _ encoder: ResponseEncoder, _ requestID: String) {
        guard let connection else { return }
        let hasBody = encoder.sendsBody(of: response) && !response.body.isEmpty
        let head = encoder.head(of: response, date: connection.date, requestID: requestID)
        session?.respond(stream.number, head, hasBody: hasBody)
        if hasBody { stream.write(response.body) }
        stream.endStream()
    }

    func startStream(_ stream: HTTP2Stream, _ response: Response, _ encoder: ResponseEncoder, _ requestID: String) {
        guard let connection else { return }
        var (encoder, head): (ResponseEncoder, [UInt8]) = (encoder, [])
        encoder.appendStreamHead(
            response.status, response.fields, date: connection.date, requestID: requestID, to: &head)
        session?.respond(stream.number, head, hasBody: true)
        flushSoon()
    }

    /// The frame may wait for room in the connection. The bytes of the stream do not.
    func reset(_ stream: HTTP2Stream, _ code: HTTP2Session.Code) {
        outgoing.waitingBytes -= stream.drop()
        session?.reset(stream.number, code)
        flushSoon()
    }

    /// A stream has more bytes, or its end.
    ///
    /// - Parameter resumes: whether nghttp2 has to be told.
    func touch(_ stream: HTTP2Stream, resumes: Bool) {
        if resumes { session?.resume(stream.number) }
        if outgoing.touched.last !== stream { outgoing.touched.append(stream) }
        flushSoon()
    }

    /// Fills a frame of a response.
    ///
    /// - Returns: how many bytes it has; nil if none are there now.
    func take(from number: Int32, _ buffer: UnsafeMutableRawBufferPointer, ends: inout Bool) -> Int? {
        guard let stream = streams[number] else {
            ends = true
            return 0
        }
        let count = stream.take(buffer)
        outgoing.waitingBytes -= count ?? 0
        ends = stream.isOver
        if ends || count != nil && stream.isWaiting { outgoing.touched.append(stream) }
        return count
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
        var output: [UInt8] = []
        guard let frames = session.appendOutput(to: &output, upTo: limit) else { return connection.disconnect() }
        abuse.sent(frames: frames, bytes: output.count)
        if !output.isEmpty { connection.sendSoon(output) }
        for stream in outgoing.takeTouched() where streams[stream.number] === stream {
            stream.offered()
            guard stream.isOver, !stream.isComplete else { continue }
            // The rest of a request that is answered is not wanted. The answer may still wait for room.
            if output.count < limit { reset(stream, .none) } else { outgoing.touched.append(stream) }
        }
        let change = outgoing.count()
        if change != 0 { connection.addOutput(change) }
        if session.isOver || outgoing.hasAnnouncedDrain && streams.isEmpty { connection.endProtocol() }
    }
}
