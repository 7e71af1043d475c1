import HTTP
import Sockets

// Sending answers and streams, and ending.
extension HTTPConnection {
    /// Sends the answer to the request at hand, and goes on to the next.
    func answer(_ response: Response) {
        guard case .answering(var encoder) = phase, let channel else { return }
        exchangeNumber += 1
        held = nil
        if context.isDraining { encoder.keepAlive = false }
        channel.write(encoder.bytes(of: response, date: context.date))
        stuckBytes = .max
        if encoder.keepAlive {
            phase = .head
            deadline.set(after: context.settings.idleTimeout)
            channel.resumeReading()
        } else {
            close()
        }
    }

    func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {
        guard case .answering(var encoder) = phase, let channel else { return }
        exchangeNumber += 1
        encoder.keepAlive = false
        var output: [UInt8] = []
        encoder.appendStreamHead(.ok, fields, date: context.date, to: &output)
        phase = .streaming(encoder, owner)
        deadline.clear()
        channel.write(output)
        channel.resumeReading()
    }

    /// Whether pieces of the stream are to be framed as chunks.
    package var streamIsChunked: Bool {
        if case .streaming(let encoder, _) = phase { encoder.streamIsChunked } else { false }
    }

    /// Sends bytes that are framed already.
    package func send(framed bytes: [UInt8]) { channel?.write(bytes) }

    /// Ends the stream in order.
    package func endStream() {
        guard case .streaming(let encoder, _) = phase else { return }
        var output: [UInt8] = []
        encoder.appendStreamEnd(to: &output)
        channel?.write(output)
        close()
    }

    var isStreaming: Bool {
        if case .streaming = phase { true } else { false }
    }

    /// Tells a stream to end.
    func drainStream() {
        if case .streaming(_, let owner) = phase { owner.streamShouldEnd() }
    }

    /// Ends what is idle.
    func drain() {
        switch phase {
        // Nothing has been asked that an answer could be lost for: no long wait for the client's own close.
        case .head where !hasPartialHead: close(linger: Linger(bytes: 65536, time: .milliseconds(500)))
        default: break
        }
    }

    func cut() { channel?.closeNow() }

    /// Sends what is pending, then ends, and gives up on a client that takes too long to read it.
    ///
    /// To drop bytes is cheaper than any answer, so time alone bounds how much a client may still send.
    private func close(linger: Linger = Linger(bytes: .max)) {
        phase = .closing
        deadline.set(after: context.settings.bodyTimeout)
        channel?.closeAfterFlush(linger: linger)
    }
}
