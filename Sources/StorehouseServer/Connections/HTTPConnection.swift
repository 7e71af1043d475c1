import HTTP
import Sockets

/// Takes a connection over once its answer is a stream. All calls come on the connection's loop.
protocol StreamOwner: AnyObject {
    /// Everything that was sent has left.
    func streamDrained()
    /// The client is gone, or the connection was cut.
    func streamClosed()
    /// The server drains: say goodbye and end the stream.
    func streamShouldEnd()
}

/// One connection: cuts its bytes into requests, has them answered one after the other, and keeps the deadlines.
///
/// On its loop only. A request is not looked at before the one ahead of it is answered, so answers leave in order.
final class HTTPConnection {
    enum Phase {
        case head(RequestParser)
        case body(RequestHead, BodyDecoder)
        /// The handler has the request.
        case answering(ResponseEncoder)
        case streaming(ResponseEncoder, any StreamOwner)
        /// The last answer is on its way out.
        case closing
    }

    /// How many bytes of answers may wait before no further request is looked at.
    private static var mostPending: Int { 65536 }

    let context: LoopConnections
    var phase: Phase
    /// Counts the requests, so that a late answer finds only its own.
    var exchangeNumber = 0
    var channel: Channel?
    private var hasPartialHead = false
    private var deadline: LoopInstant?
    private var timer: LoopTimer?
    /// What waited for the client at the last look.
    private var stuckBytes = Int.max
    private var timerFires = LoopInstant(nanoseconds: 0)

    init(_ context: LoopConnections) {
        self.context = context
        phase = .head(RequestParser(limits: context.settings.limits))
    }

    func start(on channel: Channel) {
        self.channel = channel
        let limits = context.settings.limits
        channel.mostKept = limits.maxTargetBytes + limits.maxHeaderBytes + Self.mostPending
        expect(within: context.settings.idleTimeout)
    }

    /// How many bytes wait for a client that reads slowly.
    var pendingBytes: Int { channel?.pendingBytes ?? 0 }
}

extension HTTPConnection: ChannelDelegate {
    func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) -> Int {
        var used = 0
        while used < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            let (taken, goesOn) = take(rest)
            used += taken
            if !goesOn { break }
        }
        pauseIfBusy(channel)
        return used
    }

    /// Leaves further bytes, and the end of input, with the system until they can be looked at: a client that closes its
    /// side behind its requests gets all of its answers.
    private func pauseIfBusy(_ channel: Channel) {
        switch phase {
        case .answering: channel.pauseReading()
        case .head where pendingBytes > Self.mostPending: channel.pauseReading()
        default: break
        }
    }

    func channelReachedEndOfInput(_ channel: Channel) {
        switch phase {
        case .head, .body: channel.closeAfterFlush(linger: nil)
        case .streaming: channel.closeNow()
        case .answering, .closing: break
        }
    }

    func channelDrained(_ channel: Channel) {
        switch phase {
        case .streaming(_, let owner): owner.streamDrained()
        case .head: channel.resumeReading()
        default: break
        }
    }

    func channelClosed(_ channel: Channel, reason: CloseReason) {
        if let timer { context.loop.cancel(timer) }
        timer = nil
        exchangeNumber += 1
        let last = phase
        phase = .closing
        self.channel = nil
        if case .streaming(_, let owner) = last { owner.streamClosed() }
        context.forget(self)
    }

    /// Takes what it can of the bytes.
    /// - Returns: how many, and whether it can take more.
    private func take(_ bytes: UnsafeRawBufferPointer) -> (Int, Bool) {
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
            if !hasPartialHead { expect(within: context.settings.headerTimeout) }
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
                expect(within: context.settings.bodyTimeout)
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
        deadline = nil
        phase = .answering(ResponseEncoder(answering: request.head))
        context.handler.handle(request, Exchange(connection: self, number: exchangeNumber))
    }

    private func refuse(_ failure: RequestFailure) {
        phase = .answering(ResponseEncoder(answering: failure))
        answer(context.handler.response(to: failure))
    }
}

extension HTTPConnection {
    /// Sends the answer to the request at hand, and goes on to the next.
    func answer(_ response: Response) {
        guard case .answering(var encoder) = phase, let channel else { return }
        exchangeNumber += 1
        if context.isDraining { encoder.keepAlive = false }
        var output: [UInt8] = []
        output.reserveCapacity(response.body.count + 384)
        encoder.append(response, date: context.date, to: &output)
        channel.write(output)
        stuckBytes = .max
        if encoder.keepAlive {
            phase = .head(RequestParser(limits: context.settings.limits))
            expect(within: context.settings.idleTimeout)
            channel.resumeReading()
        } else {
            close()
        }
    }

    func startStream(_ fields: [Response.Field], _ owner: any StreamOwner) {
        guard case .answering(var encoder) = phase, let channel else { return }
        exchangeNumber += 1
        encoder.keepAlive = false
        var output: [UInt8] = []
        encoder.appendStreamHead(.ok, fields, date: context.date, to: &output)
        phase = .streaming(encoder, owner)
        deadline = nil
        channel.write(output)
        channel.resumeReading()
    }

    /// Whether pieces of the stream are to be framed as chunks.
    var streamIsChunked: Bool {
        if case .streaming(let encoder, _) = phase { encoder.streamIsChunked } else { false }
    }

    /// Sends bytes that are framed already.
    func send(framed bytes: [UInt8]) { channel?.write(bytes) }

    /// Ends the stream in order.
    func endStream() {
        guard case .streaming(let encoder, _) = phase else { return }
        var output: [UInt8] = []
        encoder.appendStreamEnd(to: &output)
        channel?.write(output)
        close()
    }

    func drain() {
        switch phase {
        case .streaming(_, let owner): owner.streamShouldEnd()
        case .head where !hasPartialHead: close()
        default: break
        }
    }

    func cut() { channel?.closeNow() }

    /// Sends what is pending, then ends, and gives up on a client that takes too long to read it.
    private func close() {
        phase = .closing
        expect(within: context.settings.bodyTimeout)
        channel?.closeAfterFlush()
    }
}

extension HTTPConnection {
    /// Sets the moment by which something must have happened.
    ///
    /// The timer is set once and looks again when it fires, so that a request costs no timer.
    private func expect(within timeout: Duration) {
        let moment = context.loop.now.advanced(by: timeout)
        deadline = moment
        if timer != nil, timerFires <= moment { return }
        arm(moment)
    }

    private func arm(_ moment: LoopInstant) {
        let delay = context.loop.now.duration(to: moment)
        timerFires = moment
        if let timer, context.loop.reschedule(timer, after: delay) { return }
        timer = context.loop.schedule(after: delay) { [self] in timerFired() }
    }

    private func timerFired() {
        timer = nil
        guard let deadline else { return }
        if context.loop.now < deadline { arm(deadline) } else { expire() }
    }

    private func expire() {
        switch phase {
        case .head where hasPartialHead: timeOut(ResponseEncoder())
        case .body(let head, _):
            var encoder = ResponseEncoder(answering: head)
            encoder.keepAlive = false
            timeOut(encoder)
        case .head, .closing: giveUpIfStuck()
        case .answering, .streaming: break
        }
    }

    /// Ends the connection, unless the client has read some of what waits for it since the last look.
    private func giveUpIfStuck() {
        guard pendingBytes > 0, pendingBytes < stuckBytes else {
            channel?.closeNow()
            return
        }
        stuckBytes = pendingBytes
        expect(within: context.settings.idleTimeout)
    }

    private func timeOut(_ encoder: ResponseEncoder) {
        phase = .answering(encoder)
        answer(context.handler.timeoutResponse)
    }
}
