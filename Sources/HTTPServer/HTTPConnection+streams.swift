package import HTTP
import Sockets

extension HTTPConnection: StreamClient {
    package func streamShouldEnd(among streamCount: Int) { stream?.streamShouldEnd(among: streamCount) }

    /// The clients whose streams it has.
    var streamClients: [any StreamClient] { machine.isStreaming ? stream?.clients ?? [self] : [] }
}

// Sends streams.
extension HTTPConnection {
    package func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {
        guard let channel, var encoder = machine.startStream() else { return }
        var output: [UInt8] = []
        encoder.appendStreamHead(.ok, fields, date: context.date, requestID: requestID, to: &output)
        stream = owner
        // A stream needs no timeout while its client reads.
        stopTimer()
        stopAwaitingResponse()
        channel.countAsStream()
        write(output, to: channel)
        streamedBytes = 0
        channel.resumeReading()
        notifyRequestObserver()
        // Nobody else ends a stream that begins during the drain.
        if context.isDraining { context.loop.atEndOfTurn { [self] in stream?.streamShouldEnd(among: 1) } }
    }

    package func send(chunk: [UInt8], payload: Range<Int>) {
        guard let channel else { return }
        if machine.streamIsChunked { write(chunk, to: channel) } else { write(Array(chunk[payload]), to: channel) }
        checkStream(on: channel)
    }

    package func send(parts: [[UInt8]]) {
        guard let channel else { return }
        let isChunked = machine.streamIsChunked
        collectWrites {
            if isChunked { write(ChunkedCoding.start(of: parts.reduce(0) { $0 + $1.count }), to: channel) }
            for part in parts { write(part, to: channel) }
            if isChunked { write(ChunkedCoding.lineEnd, to: channel) }
        }
        checkStream(on: channel)
    }

    /// Sends what `body` writes in one system call.
    package func collectWrites(_ body: () -> Void) {
        let channel = channel
        channel?.cork()
        body()
        channel?.uncork()
    }

    /// Starts the timeout of a client that does not read.
    func checkStream(on channel: Channel) {
        if let timeout = machine.wroteStream(pendingBytes: channel.pendingBytes) { startTimeout(timeout) }
    }

    /// Ends the stream in its framing, then closes the connection.
    package func endStream() {
        guard let (encoder, timeout) = machine.endStream() else { return }
        stream = nil
        var output: [UInt8] = []
        encoder.appendStreamEnd(to: &output)
        if let channel { write(output, to: channel) }
        close(timeout, linger: .short)
    }
}
