import HTTP
import Sockets

/// Takes a connection over once its answer is a stream. All calls come on the connection's loop.
package protocol StreamHandler: AnyObject {
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
package final class HTTPConnection {
    enum Phase {
        /// The parser awaits a head, or the rest of one.
        case head
        case body(PartialBody)
        /// The handler has the request.
        case answering(ResponseEncoder)
        case streaming(ResponseEncoder, any StreamHandler)
        /// The last answer is on its way out.
        case closing
    }

    /// How many bytes of answers may wait before no further request is looked at.
    static var mostPending: Int { 65536 }

    let context: ConnectionManager
    var phase = Phase.head
    var parser: RequestParser
    /// Counts the requests, so that a late answer finds only its own.
    var exchangeNumber = 0
    var channel: Channel?
    /// Itself as it is carried through other threads; made once, since each action wants it. Gone when the channel is.
    var carried: LoopBound<HTTPConnection>?
    var hasPartialHead = false
    let deadline: Deadline
    /// What to do about the request at hand when its time is up, or when the server cannot wait any longer.
    var held: (() -> Void)?
    /// What waited for the client at the last look.
    var stuckBytes = Int.max

    init(_ context: ConnectionManager) {
        self.context = context
        deadline = Deadline(on: context.loop)
        parser = RequestParser(limits: context.settings.limits)
    }

    func start(on channel: Channel) {
        self.channel = channel
        carried = LoopBound(self, on: context.loop)
        deadline.passed = { [self] in expire() }
        let limits = context.settings.limits
        channel.maxUnconsumedBytes = limits.maxTargetBytes + limits.maxHeaderBytes + Self.mostPending
        deadline.set(after: context.settings.idleTimeout)
    }

    /// How many bytes wait for a client that reads slowly.
    package var pendingBytes: Int { channel?.pendingBytes ?? 0 }
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
        deadline.end()
        held = nil
        exchangeNumber += 1
        let last = phase
        phase = .closing
        self.channel = nil
        carried = nil
        if case .streaming(_, let owner) = last { owner.streamClosed() }
        context.forget(self)
    }
}

extension HTTPConnection {
    private func expire() {
        switch phase {
        case .head where hasPartialHead: refuse(.tooSlow(nil))
        case .body(let body): refuse(.tooSlow(body.head))
        case .answering: answerHeld()
        case .head, .closing: giveUpIfStuck()
        case .streaming: break
        }
    }

    /// Does what was put off about the request at hand.
    func answerHeld() {
        let job = held
        held = nil
        job?()
    }

    /// Ends the connection, unless the client has read some of what waits for it since the last look.
    private func giveUpIfStuck() {
        guard pendingBytes > 0, pendingBytes < stuckBytes else {
            channel?.closeNow()
            return
        }
        stuckBytes = pendingBytes
        deadline.set(after: context.settings.idleTimeout)
    }
}
