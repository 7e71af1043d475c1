package import HTTP
import Sockets

// Parses received bytes into requests.
extension HTTPConnection {
    /// - Returns: how many bytes were consumed, and whether the next ones can be looked at.
    func receive(_ bytes: UnsafeRawBufferPointer, pendingBytes: Int) -> (consumed: Int, continues: Bool) {
        switch machine.inputAction(pendingBytes: pendingBytes) {
        case .parseHead: parseHead(bytes)
        case .decodeBody: decodeBody(bytes)
        case .leave: (0, false)
        case .discard: discard(bytes)
        }
    }

    private func discard(_ bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
        stream?.streamReceived(bytes)
        return (bytes.count, false)
    }

    /// Nearly all heads arrive at once, so only those that do not need memory for a parser.
    private func parseHead(_ bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
        if case .head(let head)? = partial {
            let step = head.parser.parse(bytes)
            if case .needMore = step {} else { partial = nil }
            return parsed(step, bytes)
        }
        var parser = RequestParser(limits: context.settings.limits)
        let step = parser.parse(bytes)
        if case .needMore = step { partial = .head(PartialHead(parser)) }
        return parsed(step, bytes)
    }

    private func parsed(_ step: RequestParser.Step, _ bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
        switch step {
        case .needMore:
            if !context.admitsInput(bytes.count) {
                refuseUnfinished { .overloaded($0) }
                return (0, false)
            }
            let isEmptyLine = bytes.count <= 2 && bytes.first == UInt8(ascii: "\r")
            if let timeout = machine.receivedPartialHead(isEmptyLine: isEmptyLine) { startTimeout(timeout) }
            return (0, false)
        case .failed(let failure, let head):
            if beginsHTTP2(bytes, failure) { return (0, stream != nil) }
            refuse(failure, of: head, response(to: failure, of: head))
            return (failure.consumed ?? 0, failure.consumed != nil)
        case .head(let head, let consumed):
            requestID = context.requestID(head.fields.requestID)
            if isProvisional, context.holdsBack(self, head) {
                holdBack(head)
                return (0, false)
            }
            return (consumed + receiveBody(of: head, from: consumed, in: bytes), true)
        }
    }

    /// Handles the request if its body has arrived with its head, as nearly all do.
    ///
    /// - Parameters:
    ///   - start: where the body begins.
    ///   - message: the bytes of the head, and what has arrived behind it.
    /// - Returns: the length of the body consumed.
    private func receiveBody(of head: RequestHead, from start: Int, in message: UnsafeRawBufferPointer) -> Int {
        let bytes = UnsafeRawBufferPointer(rebasing: message[start...])
        if let refusal = context.handler.refusal(of: head, on: self) { return refuse(head, bytes.count, refusal) }
        if isProvisional, !context.admits(self), let refusal = context.handler.limitRefusal(of: head, on: self) {
            return refuse(head, bytes.count, refusal)
        }
        switch head.body {
        case .none:
            handle(head, [])
            return 0
        case .length(let length) where length <= bytes.count && !head.expectsContinue:
            if context.refusesBody(length) {
                refuse(.overloaded(head), of: head)
                return length
            }
            handle(head, [UInt8](UnsafeRawBufferPointer(rebasing: bytes[..<length])))
            return length
        case .length, .chunked:
            if !context.admitsInput(head.body.announcedBytes) {
                refuse(.overloaded(head), of: head)
                return 0
            }
            if head.expectsContinue, let channel { write(ResponseEncoder.continueBytes, to: channel) }
            partial = .body(PartialRequest(head, limits: context.settings.limits))
            startTimeout(machine.receivedHeadOfBody())
            return 0
        }
    }

    /// Responds to a request whose body is not read. The connection closes unless the body has arrived already.
    ///
    /// - Returns: the length of the body skipped.
    private func refuse(_ head: RequestHead, _ available: Int, _ response: Response) -> Int {
        var encoder = ResponseEncoder(answering: head)
        var skipped = 0
        switch head.body {
        case .none: break
        case .length(let length) where length <= available: skipped = length
        case .length, .chunked: encoder.keepAlive = false
        }
        machine.receivedFailure(encoder)
        deadline.clear()
        answer(response, linger: encoder.keepAlive ? nil : Linger())
        return skipped
    }

    private func decodeBody(_ bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
        guard case .body(let request)? = partial else { return (0, false) }
        switch request.decoder.decode(bytes) {
        case .needMore(let consumed): return (consumed, false)
        case .failed(let failure):
            partial = nil
            refuse(failure.of(request.head), of: request.head)
            return (0, false)
        case .done(let consumed):
            partial = nil
            handle(request.head, request.decoder.body)
            return (consumed, true)
        }
    }

    private func handle(_ head: RequestHead, _ body: consuming [UInt8]) {
        let number = machine.receivedRequest(ResponseEncoder(answering: head))
        deadline.clear()
        requestStart = now
        let bodyBytes = body.count
        context.handler.handle(Request(head: head, body: body), Exchange(connection: self, number: number))
        if machine.isCurrent(number) {
            startAwaitingResponse(to: head)
            holdBody(bodyBytes)
        } else {
            answered(head)
        }
    }

    /// The response to bytes that are no request.
    ///
    /// - Parameter head: that of the request, if it is well-formed.
    package func response(to failure: RequestFailure, of head: RequestHead?) -> Response {
        requestID = context.requestID(failure.fields?.requestID)
        let handler = context.handler
        let refusal = head.map { handler.refusal(of: $0, on: self) } ?? handler.refusal(of: failure, on: self)
        return refusal ?? handler.response(to: failure, of: head, on: self)
    }

    /// Responds to a request that cannot be handled. The connection closes if the start of the next request is unknown.
    ///
    /// - Parameters:
    ///   - head: that of the request, if it is known.
    ///   - response: nil for the one to the failure.
    func refuse(_ failure: RequestFailure, of head: RequestHead?, _ response: Response? = nil) {
        machine.receivedFailure(ResponseEncoder(answering: failure))
        let linger = failure.reason == .overloaded ? Linger.brief : Linger()
        answer(response ?? context.handler.response(to: failure, of: head, on: self), linger: linger)
    }
}

extension BodyFraming {
    /// The length of the body as its head says, which is unknown for chunks.
    fileprivate var announcedBytes: Int {
        switch self {
        case .none: 0
        case .length(let length): length
        case .chunked: .max
        }
    }
}

/// A request that has not arrived completely.
enum PartialInput {
    case head(PartialHead)
    /// The first request of a connection waits until there is room for it. It stays with the channel, unread. In HTTP/2 it is not known.
    case heldBack(RequestHead?)
    case body(PartialRequest)
}

/// A request head that did not arrive at once.
final class PartialHead {
    @exclusivity(unchecked) var parser: RequestParser

    init(_ parser: RequestParser) { self.parser = parser }
}

/// A request whose body did not arrive completely with its head.
final class PartialRequest {
    let head: RequestHead
    var decoder: BodyDecoder

    init(_ head: RequestHead, limits: HTTPLimits) {
        self.head = head
        decoder = BodyDecoder(head.body, limits: limits)
    }
}
