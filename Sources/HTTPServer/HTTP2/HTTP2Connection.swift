import HTTP
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
    private static let maxPendingBytes = 65536
    /// How many bytes of a stream may be collected in a turn of the loop before they count as waiting.
    private static let maxCollectedBytes = 16384

    /// Nil once it is closed.
    private var connection: HTTPConnection?
    private let context: ConnectionManager
    private let loop: any EventLoop
    private var session: HTTP2Session?
    private var streams: [Int32: HTTP2Stream] = [:]
    /// The request whose fields come, and its number.
    private var head = HTTP2Head()
    private var headNumber: Int32 = 0
    /// Since when fields of a request, or the beginning of the connection, have been incomplete; nil if they are not.
    private var incompleteSince: MonotonicInstant?
    /// When the last request ended.
    private var idleSince: MonotonicInstant
    private var abuse: HTTP2Abuse
    private var timer: LoopTimer?
    /// Whether the bytes for the client are made at the end of this turn.
    private var willFlush = false
    /// The streams that were written to since then, and those of which bytes were taken.
    @exclusivity(unchecked) private var touched: [HTTP2Stream] = []
    /// The last piece that was sent, which the next streams often get too.
    @exclusivity(unchecked) private var shared: [UInt8] = []
    /// The array that it is a part of, and where. While it is kept, no other array is there.
    @exclusivity(unchecked) private var (sharedSource, sharedAddress): ([UInt8], UnsafeRawPointer?) = ([], nil)
    /// How many bytes wait in the streams, and how many of them the budget counts.
    @exclusivity(unchecked) private var (waitingBytes, countedBytes) = (0, 0)
    private(set) var isDraining = false
    /// Whether the client was told.
    private var hasAnnouncedDrain = false
    private var isPaused = false

    /// Takes over a connection whose client has begun with HTTP/2; nil if it may not.
    ///
    /// - Parameter bytes: the first ones of the connection.
    init?(_ connection: HTTPConnection, beginningWith bytes: UnsafeRawBufferPointer, _ failure: RequestFailure) {
        guard connection.streamedBytes == 0, bytes.starts(with: "PRI * HTTP/2.0\r".utf8) else { return nil }
        context = connection.context
        loop = connection.loop
        idleSince = loop.now
        incompleteSince = loop.now
        abuse = HTTP2Abuse(now: loop.now)
        guard context.settings.acceptsHTTP2(connection.peer) else { return nil }
        session = HTTP2Session(
            of: self, maxStreams: Self.maxStreams, maxHeadBytes: context.settings.limits.maxHeaderBytes)
        guard session != nil, connection.begin(self, after: failure) else { return nil }
        self.connection = connection
        watch()
        if context.isDraining { drainBegins() }
    }

    var now: MonotonicInstant { loop.now }

    /// Looks again and again for what takes too long.
    private func watch() {
        let settings = context.settings
        timer = loop.schedule(after: min(settings.headerTimeout, settings.idleTimeout) / 2) { [weak self] in
            guard let self, self.connection != nil else { return }
            self.timer = nil
            self.endWhatTakesTooLong()
            self.watch()
        }
    }

    private func endWhatTakesTooLong() {
        let settings = context.settings
        if let connection, connection.stalledTime >= settings.idleTimeout { return connection.disconnect() }
        if let incompleteSince, incompleteSince.duration(to: now) >= settings.headerTimeout { return terminate(.none) }
        for stream in streams.values where stream.stalledTime >= settings.idleTimeout { stream.disconnect() }
        if streams.isEmpty, idleSince.duration(to: now) >= settings.idleTimeout { terminate(.none) }
    }

    /// Sends the reason, and ends.
    private func terminate(_ code: HTTP2Session.Code) {
        session?.terminate(code)
        flushSoon()
    }

    /// Closes the connection if nothing is left to do.
    private func closeIfDone() {
        guard let session, session.isOver || hasAnnouncedDrain && streams.isEmpty else { return }
        connection?.endProtocol()
    }
}

// Receiving.
extension HTTP2Connection: StreamHandler {
    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        guard let session, let connection else { return }
        guard session.receive(bytes) else {
            self.session = nil
            return connection.disconnect()
        }
        flushSoon()
        isPaused = connection.pendingBytes > Self.maxPendingBytes
        if isPaused { connection.pauseReading() }
    }

    func began(_ number: Int32) {
        (head, headNumber) = (HTTP2Head(), number)
        incompleteSince = now
    }

    /// A field of the request that began last.
    func received(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        // The parser refuses what is longer.
        let limits = context.settings.limits
        if head.byteCount <= limits.maxHeaderBytes + limits.maxTargetBytes { head.add(name, value) }
    }

    func receivedHead(of number: Int32, isAll: Bool) {
        incompleteSince = nil
        let text = head.text(hasBody: !isAll)
        guard !head.isMalformed else { return terminateStream(number) }
        var parser = RequestParser(limits: context.settings.limits)
        let step = text.withUnsafeBytes { parser.parse($0) }
        let stream = HTTP2Stream(number, of: self, isComplete: isAll)
        streams[number] = stream
        switch step {
        case .head(let head, text.count): begin(head, of: stream)
        case .head, .needMore: terminateStream(number)
        case .failed(let failure, let head): refuse(failure, of: head, stream)
        }
    }

    private func terminateStream(_ number: Int32) {
        session?.reset(number, .protocolError)
        flushSoon()
    }

    private func begin(_ head: RequestHead, of stream: HTTP2Stream) {
        guard let connection else { return }
        let length: Int? =
            switch head.body {
            case .none: 0
            case .length(let length): length
            case .chunked: nil
            }
        let request = MultiplexedRequest(
            head, UInt32(stream.number), from: connection.peer, requestID: context.requestID(head.fields.requestID),
            bodyLength: length, of: self, connection, context.handler)
        stream.request = request
        if let refusal = context.handler.refusal(of: head, on: request) { return request.answer(refusal) }
        request.begin(UnsafeRawBufferPointer(start: nil, count: 0))
        if head.expectsContinue, request.isAwaited, !stream.isComplete { session?.sendContinue(stream.number) }
    }

    private func refuse(_ failure: RequestFailure, of head: RequestHead?, _ stream: HTTP2Stream) {
        guard let connection else { return }
        connection.requestID = context.requestID(failure.fields?.requestID)
        let handler = context.handler
        let refusal =
            head.map { handler.refusal(of: $0, on: connection) } ?? handler.refusal(of: failure, on: connection)
        respond(
            stream, refusal ?? handler.response(to: failure, of: head, on: connection),
            ResponseEncoder(answering: failure),
            connection.requestID)
    }

    /// A part of the body.
    func received(_ bytes: UnsafeRawBufferPointer, of number: Int32) { streams[number]?.request?.received(bytes) }

    func receivedEnd(of number: Int32) {
        guard let stream = streams[number] else { return }
        stream.isComplete = true
        stream.request?.bodyEnded()
    }

    /// The stream is closed, by either side.
    func closed(_ number: Int32) {
        // A malformed request has no end of its head.
        if number == headNumber { incompleteSince = nil }
        guard let stream = streams[number] else { return }
        if stream.request?.isAwaited == true, abuse.wasted(now: now) { terminate(.enhanceYourCalm) }
        stream.request?.closed()
        streams[number] = nil
        waitingBytes -= stream.queue.byteCount
        idleSince = now
    }

    /// A frame begins that carries no more than the continuation of a head.
    func receivedControl(_ type: UInt8, isAcknowledgement: Bool) {
        let (reset, windowUpdate, continuation): (UInt8, UInt8, UInt8) = (3, 8, 9)
        // No other frame comes between the parts of a head.
        if type != continuation { incompleteSince = nil }
        let goesTooFar =
            switch type {
            case windowUpdate: abuse.windowOpened()
            // It counts when a request is closed that awaits its response.
            case reset: false
            default: !isAcknowledgement && abuse.wasted(now: now)
            }
        if goesTooFar { terminate(.enhanceYourCalm) }
    }

    func streamDrained() {
        flushSoon()
        guard isPaused else { return }
        isPaused = false
        connection?.resumeReading()
    }

    func streamClosed() {
        if let timer = timer.take() { loop.cancel(timer) }
        connection = nil
        for stream in streams.values { stream.request?.closed() }
        streams = [:]
        (waitingBytes, touched) = (0, [])
        (shared, sharedSource, sharedAddress) = ([], [], nil)
        countOutput()
        session = nil
    }

    var clients: [any StreamClient]? { Array(streams.values) }

    var idleTime: Duration? { streams.isEmpty ? idleSince.duration(to: now) : nil }

    func closeIdle() { terminate(.none) }

    var unfinishedInput: (byteCount: Int, since: MonotonicInstant)? {
        let requests = unfinishedRequests
        guard let since = requests.map(\.requestStartedAt).min() else { return nil }
        return (requests.reduce(0) { $0 + $1.unfinishedBytes }, since)
    }

    func cutInput() {
        for request in unfinishedRequests { request.refuse(.overloaded(request.head)) }
    }

    private var unfinishedRequests: [MultiplexedRequest] {
        streams.values.compactMap(\.request).filter { $0.isAwaited && $0.unfinishedBytes > 0 }
    }

    func drainBegins() {
        isDraining = true
        flushSoon()
    }

    /// Its clients are told.
    func streamShouldEnd(among streamCount: Int) {}

    func streamMustAnswer() {
        for stream in streams.values { stream.request?.mustAnswer() }
    }
}

// Sending.
extension HTTP2Connection: RequestMultiplexer {
    var origin: UInt16 { 0 }

    var isFull: Bool { waitingBytes + (connection?.pendingBytes ?? 0) > Self.maxPendingBytes }

    func pendingBytes(_ number: UInt32) -> Int { streams[Int32(number)]?.queue.byteCount ?? 0 }

    func respond(to request: MultiplexedRequest, _ response: Response) {
        guard let stream = streams[Int32(request.number)] else { return }
        respond(stream, response, ResponseEncoder(answering: request.head), request.requestID)
    }

    private func respond(_ stream: HTTP2Stream, _ response: Response, _ encoder: ResponseEncoder, _ requestID: String) {
        let hasBody = encoder.sendsBody(of: response) && !response.body.isEmpty
        session?.respond(
            stream.number, encoder.head(of: response, date: context.date, requestID: requestID), hasBody: hasBody)
        if hasBody { write(response.body, to: stream) }
        _ = stream.end()
        touch(stream)
    }

    func startBody(of request: MultiplexedRequest, _ response: Response) {
        var (encoder, head): (ResponseEncoder, [UInt8]) = (ResponseEncoder(answering: request.head), [])
        encoder.appendStreamHead(
            response.status, response.fields, date: context.date, requestID: request.requestID, to: &head)
        session?.respond(Int32(request.number), head, hasBody: true)
        flushSoon()
    }

    func send(_ number: UInt32, _ array: [UInt8], _ range: Range<Int>) -> Bool {
        guard let stream = streams[Int32(number)] else { return true }
        let address = array.withUnsafeBytes { $0.baseAddress.map { $0 + range.lowerBound } }
        if address != sharedAddress || shared.count != range.count {
            (shared, sharedSource, sharedAddress) = (Array(array[range]), array, address)
        }
        write(shared, to: stream)
        return hasRoom(stream)
    }

    func send(_ number: UInt32, _ parts: [[UInt8]]) -> Bool {
        guard let stream = streams[Int32(number)] else { return true }
        for part in parts { write(part, to: stream) }
        return hasRoom(stream)
    }

    /// Whether its source may send more in this turn.
    private func hasRoom(_ stream: HTTP2Stream) -> Bool {
        guard stream.queue.byteCount > Self.maxCollectedBytes else { return true }
        stream.startWaiting()
        return false
    }

    func end(_ number: UInt32) {
        guard let stream = streams[Int32(number)] else { return }
        if stream.end() { session?.resume(stream.number) }
        touch(stream)
    }

    func cancel(_ number: UInt32) {
        if let stream = streams[Int32(number)] { reset(stream, .cancelled) }
    }

    /// The frame may wait for room in the connection. The bytes of the stream do not.
    func reset(_ stream: HTTP2Stream, _ code: HTTP2Session.Code) {
        waitingBytes -= stream.drop()
        session?.reset(stream.number, code)
        flushSoon()
    }

    private func write(_ bytes: [UInt8], to stream: HTTP2Stream) {
        waitingBytes += bytes.count
        if stream.append(bytes) { session?.resume(stream.number) }
        touch(stream)
    }

    private func touch(_ stream: HTTP2Stream) {
        if touched.last !== stream { touched.append(stream) }
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
        if let count, count > 0 {
            waitingBytes -= count
            if stream.isWaiting { touched.append(stream) }
        }
        ends = stream.isEnded && stream.queue.isEmpty
        if ends { touched.append(stream) }
        return count
    }

    /// Makes the frames of all streams at the end of this turn, for one system call.
    private func flushSoon() {
        guard !willFlush, connection != nil else { return }
        willFlush = true
        loop.atEndOfTurn { [self] in flush() }
    }

    private func flush() {
        willFlush = false
        guard let session, let connection else { return }
        var output: [UInt8] = []
        let limit = Self.maxPendingBytes - connection.pendingBytes
        if isDraining, !hasAnnouncedDrain, limit > 0 {
            hasAnnouncedDrain = true
            session.drain()
        }
        guard let frames = session.appendOutput(to: &output, upTo: limit) else { return connection.disconnect() }
        abuse.sent(frames: frames, bytes: output.count)
        if !output.isEmpty { connection.sendSoon(output) }
        let touched = self.touched
        self.touched.removeAll(keepingCapacity: true)
        (shared, sharedSource, sharedAddress) = ([], [], nil)
        for stream in touched where streams[stream.number] === stream {
            stream.offered()
            guard stream.isEnded, stream.queue.isEmpty, !stream.isComplete else { continue }
            // The rest of a request that is answered is not wanted. The answer may still wait for room.
            if output.count < limit { reset(stream, .none) } else { self.touched.append(stream) }
        }
        countOutput()
        closeIfDone()
    }

    private func countOutput() {
        guard countedBytes != waitingBytes else { return }
        context.settings.output.add(waitingBytes - countedBytes)
        countedBytes = waitingBytes
    }
}
