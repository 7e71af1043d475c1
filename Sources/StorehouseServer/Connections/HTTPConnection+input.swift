import HTTP
import Sockets

// Cutting the bytes that come into requests.
extension HTTPConnection {
    /// Takes what it can of the bytes.
    /// - Returns: how many, and whether it can take more.
    func take(_ bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
        switch phase {
        case .head(var parser):
            // A client that sends requests but reads no answers is not served on.
            guard pendingBytes <= Self.mostPending else { return (0, false) }
            // The copy in `phase` must not share the parser's arrays while it works.
            phase = .closing
            let step = parser.parse(bytes)
            phase = .head(parser)
            return take(step)
        case .body(let head, var decoder):
            phase = .closing
            let step = decoder.decode(bytes)
            phase = .body(head, decoder)
            return take(step, head, decoder)
        case .answering: return (0, false)
        // What comes on a stream, or behind the last request, is nobody's.
        case .streaming, .closing: return (bytes.count, false)
        }
    }

    private func take(_ step: RequestParser.Step) -> (Int, Bool) {
        switch step {
        case .needMore:
            if !hasPartialHead { deadline.set(after: context.settings.headerTimeout) }
            hasPartialHead = true
            return (0, false)
        case .failed(let failure):
            refuse(failure)
            return (failure.consumed ?? 0, failure.consumed != nil)
        case .head(let head, let consumed):
            hasPartialHead = false
            if head.body == .none {
                begin(Request(head: head, body: []))
            } else {
                if head.expectsContinue { channel?.write(ResponseEncoder.continueBytes) }
                phase = .body(head, BodyDecoder(head.body, limits: context.settings.limits))
                deadline.set(after: context.settings.bodyTimeout)
            }
            return (consumed, true)
        }
    }

    private func take(_ step: BodyDecoder.Step, _ head: RequestHead, _ decoder: BodyDecoder) -> (Int, Bool) {
        switch step {
        case .needMore(let consumed): return (consumed, false)
        case .failed(let failure):
            refuse(failure)
            return (0, false)
        case .done(let consumed):
            begin(Request(head: head, body: decoder.body))
            return (consumed, true)
        }
    }

    private func begin(_ request: Request) {
        exchangeNumber += 1
        deadline.clear()
        phase = .answering(ResponseEncoder(answering: request.head))
        context.handler.handle(request, Exchange(connection: self, number: exchangeNumber))
    }

    private func refuse(_ failure: RequestFailure) {
        phase = .answering(ResponseEncoder(answering: failure))
        answer(context.handler.response(to: failure))
    }
}
