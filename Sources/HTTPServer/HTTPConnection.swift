package import HTTP
import Sockets

/// Takes over a connection once its response is a stream. All calls come on the connection's loop.
package protocol StreamHandler: AnyObject {
    /// All bytes that were sent have left.
    func streamDrained()
    /// The client has disconnected, or the server closed the connection.
    func streamClosed()
    /// The server drains: tell the client and end the stream.
    func streamShouldEnd()
}

/// One connection: performs on the socket what its state machine decides. On its loop only.
package final class HTTPConnection {
    let context: ConnectionManager
    var machine = HTTPConnectionStateMachine()
    var parser: RequestParser
    /// The request whose body is incomplete.
    var partialRequest: PartialRequest?
    /// The owner of the stream while the response is one.
    var stream: (any StreamHandler)?
    var channel: Channel?
    /// The connection for code on other threads; made once, because each action wants it. Nil once the channel is closed.
    var loopBoundSelf: LoopBound<HTTPConnection>?
    let deadline: Deadline
    /// Sends the deferred response, at its timeout or when the server cannot wait any longer.
    var onTimeout: (() -> Void)?

    init(_ context: ConnectionManager) {
        self.context = context
        deadline = Deadline(on: context.loop)
        parser = RequestParser(limits: context.settings.limits)
    }

    func start(on channel: Channel) {
        self.channel = channel
        loopBoundSelf = LoopBound(self, on: context.loop)
        deadline.onExpiry = { [self] in timedOut() }
        let limits = context.settings.limits
        channel.maxUnconsumedBytes =
            limits.maxTargetBytes + limits.maxHeaderBytes + HTTPConnectionStateMachine.maxPendingResponseBytes
        startTimeout(.idle)
    }

    /// The address of the client, or of the proxy that it uses. Asked from the system once, and only when it is needed.
    package private(set) lazy var peer =
        channel.flatMap { SocketAddress(peerOf: $0.descriptor) }
        .map { IPAddress(ipv6: $0.ipv6Bits) } ?? IPAddress(ipv6: 0)

    /// How many bytes wait for a client that reads slowly.
    package var pendingBytes: Int { channel?.pendingBytes ?? 0 }

    func startTimeout(_ timeout: HTTPConnectionStateMachine.Timeout) {
        let settings = context.settings
        switch timeout {
        case .header: deadline.set(after: settings.headerTimeout)
        case .body: deadline.set(after: settings.bodyTimeout)
        case .idle: deadline.set(after: settings.idleTimeout)
        }
    }
}

extension HTTPConnection: ChannelDelegate {
    func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) -> Int {
        var used = 0
        while used < bytes.count {
            let (consumed, continues) = receive(UnsafeRawBufferPointer(rebasing: bytes[used...]))
            used += consumed
            if !continues { break }
        }
        if machine.pausesReading(pendingBytes: pendingBytes) { channel.pauseReading() }
        return used
    }

    func channelReachedEndOfInput(_ channel: Channel) {
        switch machine.receivedEndOfInput() {
        case .closeAfterFlush: channel.closeAfterFlush(linger: nil)
        case .closeNow: channel.closeNow()
        case .none: break
        }
    }

    func channelDrained(_ channel: Channel) {
        switch machine.flushed() {
        case .notifyStream: stream?.streamDrained()
        case .resumeReading: channel.resumeReading()
        case .none: break
        }
    }

    func channelClosed(_ channel: Channel, reason: CloseReason) {
        deadline.end()
        machine.channelClosed()
        onTimeout = nil
        partialRequest = nil
        self.channel = nil
        loopBoundSelf = nil
        stream.take()?.streamClosed()
        context.remove(self)
    }
}

// Time and ending.
extension HTTPConnection {
    private func timedOut() {
        switch machine.timedOut(pendingBytes: pendingBytes) {
        case .refuseRequest: refuse(.tooSlow(partialRequest.take()?.head))
        case .sendDeferredResponse: sendDeferredResponse()
        case .restart(let timeout): startTimeout(timeout)
        case .closeNow: closeNow()
        case .none: break
        }
    }

    func sendDeferredResponse() { onTimeout.take()?() }

    /// Closes the connection if it is idle.
    func drain() {
        guard let timeout = machine.drain() else { return }
        // No response can be lost, so the client's own close need not be awaited for long.
        close(timeout, linger: Linger(bytes: 65536, time: .milliseconds(500)))
    }

    func closeNow() { channel?.closeNow() }

    /// Sends what is pending, then closes. The timeout bounds how long the client may take to read it.
    ///
    /// Discarding what the client still sends is cheaper than any response, so by default only time bounds it.
    func close(_ timeout: HTTPConnectionStateMachine.Timeout, linger: Linger = Linger(bytes: .max)) {
        startTimeout(timeout)
        channel?.closeAfterFlush(linger: linger)
    }
}

// Sends responses and streams.
extension HTTPConnection {
    /// Sends the response to the current request. The next request is read, or the connection closes.
    func answer(_ response: Response) {
        guard let channel, let action = machine.respond(isDraining: context.isDraining) else { return }
        onTimeout = nil
        channel.write(action.encoder.bytes(of: response, date: context.date))
        if action.closes { return close(action.timeout) }
        startTimeout(action.timeout)
        channel.resumeReading()
    }

    func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {
        guard let channel, var encoder = machine.startStream() else { return }
        var output: [UInt8] = []
        encoder.appendStreamHead(.ok, fields, date: context.date, to: &output)
        stream = owner
        deadline.clear()
        channel.write(output)
        channel.resumeReading()
    }

    /// Whether pieces of the stream must be framed as chunks.
    package var streamIsChunked: Bool { machine.streamIsChunked }

    /// Sends bytes that are framed already.
    package func send(framed bytes: [UInt8]) { channel?.write(bytes) }

    /// Ends the stream in its framing, then closes the connection.
    package func endStream() {
        guard let (encoder, timeout) = machine.endStream() else { return }
        stream = nil
        var output: [UInt8] = []
        encoder.appendStreamEnd(to: &output)
        channel?.write(output)
        close(timeout)
    }
}
