import HTTP
import Sockets

// Cutting the bytes that come into requests.
extension HTTPConnection {
    /// Takes what it can of the bytes.
    /// - Returns: how many, and whether it can take more.
    func take(_ bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
        switch phase {
        case .head:
            // A client that sends requests but reads no answers is not served on.
            guard pendingBytes <= Self.mostPending else { return (0, false) }
            return take(parser.parse(bytes), bytes)
        case .body(let body): return take(body.decoder.decode(bytes), body)
        case .answering: return (0, false)
        // What comes on a stream, or behind the last request, is nobody's.
        case .streaming, .closing: return (bytes.count, false)
        }
    }

    private func take(_ step: RequestParser.Step, _ bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
        switch step {
        case .needMore:
            // An empty line, as some clients send behind a body, begins no request (RFC 9112, section 2.2).
            let isEmptyLine = bytes.count <= 2 && bytes.first == UInt8(ascii: "\r")
            guard !hasPartialHead, !isEmptyLine else { return (0, false) }
            deadline.set(after: context.settings.headerTimeout)
            hasPartialHead = true
            return (0, false)
        case .failed(let failure):
            hasPartialHead = false
            refuse(failure)
            return (failure.consumed ?? 0, failure.consumed != nil)
        case .head(let head, let consumed):
            hasPartialHead = false
            return (consumed + takeBody(behind: head, UnsafeRawBufferPointer(rebasing: bytes[consumed...])), true)
        }
    }

    /// Begins the request if its body is there already, as nearly all are.
    /// - Returns: how many of the bytes that is.
    private func takeBody(behind head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Int {
        switch head.body {
        case .none:
            begin(Request(head: head, body: []))
            return 0
        case .length(let length) where length <= bytes.count && !head.expectsContinue:
            begin(Request(head: head, body: [UInt8](UnsafeRawBufferPointer(rebasing: bytes[..<length]))))
            return length
        case .length, .chunked:
            if head.expectsContinue { channel?.write(ResponseEncoder.continueBytes) }
            phase = .body(PartialBody(behind: head, limits: context.settings.limits))
            deadline.set(after: context.settings.bodyTimeout)
            return 0
        }
    }

    private func take(_ step: BodyDecoder.Step, _ body: PartialBody) -> (Int, Bool) {
        switch step {
        case .needMore(let consumed): return (consumed, false)
        case .failed(let failure):
            refuse(failure.of(body.head))
            return (0, false)
        case .done(let consumed):
            begin(Request(head: body.head, body: body.decoder.body))
            return (consumed, true)
        }
    }

    private func begin(_ request: Request) {
        exchangeNumber += 1
        deadline.clear()
        phase = .answering(ResponseEncoder(answering: request.head))
        context.handler.handle(request, Exchange(connection: self, number: exchangeNumber))
    }

    /// Answers what is no request, and closes where nobody knows where the next one begins.
    func refuse(_ failure: RequestFailure) {
        phase = .answering(ResponseEncoder(answering: failure))
        answer(context.handler.response(to: failure))
    }
}

/// A body that did not come whole with its head.
package final class PartialBody {
    let head: RequestHead
    var decoder: BodyDecoder

    init(behind head: RequestHead, limits: HTTPLimits) {
        self.head = head
        decoder = BodyDecoder(head.body, limits: limits)
    }
}
