import HTTP
import HTTPServer
import Platform
import Sockets

/// The request whose fields come now. Another one begins when they are complete.
struct HTTP2Incoming {
    private var head = HTTP2Head()
    private var number: Int32 = 0
    /// Since when fields of a request, or the beginning of the connection, have been incomplete; nil if they are not.
    private var incompleteSince: MonotonicInstant?
    /// The requests that have begun since bytes were read, and whose bodies are not there.
    private var begun: [HTTP2Stream] = []

    /// A connection has begun.
    init(since start: MonotonicInstant) { incompleteSince = start }

    func incompleteTime(at now: MonotonicInstant) -> Duration { incompleteSince?.duration(to: now) ?? .zero }

    mutating func begin(_ number: Int32, at now: MonotonicInstant) {
        head.begin()
        (self.number, incompleteSince) = (number, now)
    }

    /// - Parameter maxBytes: a little more than the parser takes.
    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, maxBytes: Int) {
        if head.byteCount <= maxBytes { head.add(name, value) }
    }

    /// The fields are complete.
    ///
    /// - Parameter hasBody: whether a body follows.
    /// - Returns: the head as HTTP/1.1 writes it; nil if it is malformed.
    mutating func end(hasBody: Bool) -> [UInt8]? {
        incompleteSince = nil
        let text = head.text(hasBody: hasBody)
        return head.isMalformed ? nil : text
    }

    mutating func bodyFollows(_ stream: HTTP2Stream) { begun.append(stream) }

    /// - Returns: the requests whose bodies are late, because they have not come with their heads.
    mutating func takeBegun() -> [HTTP2Stream] {
        guard !begun.isEmpty else { return [] }
        defer { begun.removeAll(keepingCapacity: true) }
        return begun.filter { !$0.isComplete }
    }

    /// Another frame has begun, and none comes between the parts of a head.
    mutating func otherFrameBegan() { incompleteSince = nil }

    /// A malformed request has no end of its head.
    mutating func streamClosed(_ number: Int32) {
        if number == self.number { incompleteSince = nil }
    }
}

// The events of a session.
extension HTTP2Connection {
    func began(_ number: Int32) { incoming.begin(number, at: now) }

    /// A field of the request that began last.
    func received(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        incoming.add(name, value, maxBytes: settings.limits.maxHeaderBytes + settings.limits.maxTargetBytes)
    }

    /// - Parameter isAll: whether the request has no body.
    func receivedHead(of number: Int32, isAll: Bool) {
        guard let connection, let text = incoming.end(hasBody: !isAll) else { return refuseMalformed(number) }
        var parser = RequestParser(limits: settings.limits)
        switch text.withUnsafeBytes({ parser.parse($0) }) {
        case .head(let head, text.count): begin(head, number, isAll: isAll, on: connection)
        case .head, .needMore: refuseMalformed(number)
        case .failed(let failure, let head):
            let stream = HTTP2Stream(number, nil, of: self, isComplete: isAll)
            add(stream)
            let response = connection.response(to: failure, of: head)
            stream.respond(response, ResponseEncoder(answering: failure), connection.requestID)
        }
    }

    private func refuseMalformed(_ number: Int32) {
        session?.reset(number, .protocolError)
        flushSoon()
    }

    private func begin(_ head: RequestHead, _ number: Int32, isAll: Bool, on connection: HTTPConnection) {
        let request = CarriedRequest(
            head, from: connection.peer, requestID: connection.requestID(of: head), bodyLength: head.body.byteCount,
            on: connection, connection.handler)
        let stream = HTTP2Stream(number, request, of: self, isComplete: isAll)
        add(stream)
        if let refusal = connection.handler.refusal(of: head, on: request) { return request.answer(refusal) }
        request.begin(UnsafeRawBufferPointer(start: nil, count: 0))
        if !isAll { incoming.bodyFollows(stream) }
        if head.expectsContinue, request.isAwaited, !stream.isComplete { session?.sendContinue(number) }
    }

    /// The stream is closed, by either side.
    ///
    /// - Parameter stream: nil for a malformed request.
    func closed(_ number: Int32, _ stream: HTTP2Stream?) {
        incoming.streamClosed(number)
        guard let stream else { return }
        if stream.request?.isAwaited == true, abuse.wasted(now: now) { terminate(.enhanceYourCalm) }
        stream.request?.closed()
        outgoing.waitingBytes -= stream.queue.byteCount
        remove(stream)
    }

    /// A frame begins that carries no more than the continuation of a head.
    func receivedControl(_ type: UInt8, isAcknowledgement: Bool) {
        let (reset, windowUpdate, continuation): (UInt8, UInt8, UInt8) = (3, 8, 9)
        if type != continuation { incoming.otherFrameBegan() }
        let goesTooFar =
            switch type {
            case windowUpdate: abuse.windowOpened()
            // It counts when a request is closed that awaits its response.
            case reset: false
            default: !isAcknowledgement && abuse.wasted(now: now)
            }
        if goesTooFar { terminate(.enhanceYourCalm) }
    }
}

extension BodyFraming {
    /// Nil if only its end says how long the body is.
    fileprivate var byteCount: Int? {
        switch self {
        case .none: 0
        case .length(let length): length
        case .chunked: nil
        }
    }
}
