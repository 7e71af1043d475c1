package import HTTP
import Platform
import Sockets

/// One connection: performs on the socket what its state machine decides. On its loop only.
package final class HTTPConnection {
    let context: ConnectionManager
    // Accesses to the unchecked properties cannot overlap, because nothing else is called during one. Checking each would cost
    // more than they do. Other modules use accessors, since they would check nevertheless.
    @exclusivity(unchecked) var machine = HTTPConnectionStateMachine()
    /// The request that has not arrived completely.
    @exclusivity(unchecked) var partial: PartialInput?
    /// The other end.
    let address: IPAddress
    // The small properties share a few words.
    /// Whether the server has closed the connection while bytes waited for the client.
    package private(set) var isCut = false
    /// The connection's index among the open ones.
    var openIndex: Int32 = 0
    /// How many bytes it holds of requests, as the budget knows it.
    @exclusivity(unchecked) var heldInput: Int32 = 0
    /// How many of them are the body of the request that awaits its response.
    @exclusivity(unchecked) var awaitedBodyBytes: Int32 = 0
    /// Fires at the deadline or before.
    var timer: LoopTimer?
    /// Whether it is beyond the limit of connections, and its first request decides whether it stays.
    var isProvisional = false
    @exclusivity(unchecked) private var requestIDStorage = ""
    @exclusivity(unchecked) private var subjectStorage: AnyObject?
    @exclusivity(unchecked) private var credentialsStorage: AnyObject?
    /// Is notified once when the current request ends.
    @exclusivity(unchecked) var requestObserver: (any RequestObserver)?
    /// How many bytes were written for the client since its stream began.
    @exclusivity(unchecked) package internal(set) var streamedBytes = 0
    /// The owner of the stream while the response is one.
    var stream: (any StreamHandler)?
    var channel: Channel?
    @exclusivity(unchecked) var deadline = Deadline()
    /// When the newest timeout was started.
    private(set) var timeoutStart: MonotonicInstant
    /// When the request in progress was complete.
    @exclusivity(unchecked) var requestStart: MonotonicInstant
    /// The request in progress, once it was not answered at once.
    var awaitingRequest: RequestHead?
    /// Makes the response to that request, and is cancelled if the client leaves before it is there.
    package var task: Task<Void, Never>?
    /// The newest answered request while bytes of its response wait for the client.
    @exclusivity(unchecked) private var unsentRequest: RequestHead?
    /// Sends the deferred response, at its timeout or when the server cannot wait any longer.
    var onTimeout: (() -> Void)?

    init(_ context: ConnectionManager, peer: IPAddress) {
        self.context = context
        address = peer
        timeoutStart = context.loop.now
        requestStart = timeoutStart
    }

    func start(on channel: Channel) {
        self.channel = channel
        let limits = context.settings.limits
        channel.maxUnconsumedBytes =
            limits.maxTargetBytes + limits.maxHeaderBytes + HTTPConnectionStateMachine.maxPendingResponseBytes
        startTimeout(.idle)
    }

    /// Names the current request in its response, in problems and in the log.
    package internal(set) var requestID: String {
        get { requestIDStorage }
        set { requestIDStorage = newValue }
    }

    /// The subject of the current request, as the handler says, for the log. It is released with the response.
    package var subject: AnyObject? {
        get { subjectStorage }
        set { subjectStorage = newValue }
    }

    /// The verified credentials of the current request, as the handler says, for the log. They are released with the response.
    package var credentials: AnyObject? {
        get { credentialsStorage }
        set { credentialsStorage = newValue }
    }

    /// How many bytes wait for a client that reads slowly.
    package var pendingBytes: Int { channel?.pendingBytes ?? 0 }

    /// For how long the client has taken none of them.
    package var stalledTime: Duration { channel?.stalledTime ?? .zero }

    /// How many bytes of memory the pending bytes hold.
    package var heldBytes: Int { channel?.heldBytes ?? 0 }

    /// For how long nothing but the client's next bytes has been awaited; nil while a request or a stream is in progress.
    var idleTime: Duration? {
        if let stream { return stream.idleTime }
        return machine.isIdle && pendingBytes == 0 ? timeoutStart.duration(to: context.loop.now) : nil
    }

    func startTimeout(_ timeout: HTTPConnectionStateMachine.Timeout) {
        timeoutStart = context.loop.now
        switch timeout {
        case .header: setDeadline(after: context.settings.headerTimeout)
        case .body: setDeadline(after: context.settings.bodyTime.limit(received: 0))
        case .closing: setDeadline(after: context.settings.bodyTime.timeout)
        case .idle: setDeadline(after: context.settings.idleTimeout)
        }
    }
}

extension HTTPConnection: ChannelDelegate {
    func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) -> Int {
        var used = 0
        while used < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            let (consumed, continues) = receive(rest, pendingBytes: channel.pendingBytes)
            used += consumed
            if !continues { break }
        }
        if used < bytes.count || partial != nil || heldInput != 0 { countInput(unconsumed: bytes.count - used) }
        context.settings.traffic.received(used)
        if machine.pausesReading(pendingBytes: channel.pendingBytes) { channel.pauseReading() }
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
        unsentRequest = nil
        switch machine.flushed() {
        case .notifyStream:
            // The first event of a stream is pending until the end of the turn. Its timer would wait for nothing.
            stopTimer()
            stream?.streamDrained()
        case .resumeReading(let timeout):
            // The bytes usually leave in the turn in which the response was written.
            if let timeout, timeoutStart != context.loop.now { startTimeout(timeout) }
            channel.resumeReading()
        case .none: break
        }
    }

    func channelClosed(_ channel: Channel, reason: CloseReason) {
        stopTimer()
        machine.channelClosed()
        onTimeout = nil
        task.take()?.cancel()
        if let head = stopAwaitingResponse() { context.handler.requestWasCut(head, on: self, since: requestStart) }
        if isCut, let unsentRequest {
            context.handler.responseWasCut(to: unsentRequest, on: self, since: requestStart)
        }
        unsentRequest = nil
        partial = nil
        releaseInput()
        self.channel = nil
        stream.take()?.streamClosed()
        (subject, credentials) = (nil, nil)
        notifyRequestObserver()
        context.remove(self)
    }
}

// Time and ending.
extension HTTPConnection {
    func timedOut() {
        if isHeldBack { return refuseUnfinished { .overloaded($0) } }
        if case .body(let request)? = partial {
            let limit = context.settings.bodyTime.limit(received: request.decoder.body.count)
            let rest = limit - timeoutStart.duration(to: now)
            if rest > .zero { return setDeadline(after: rest) }
        }
        let action = machine.timedOut(
            pendingBytes: pendingBytes, stalledTime: stalledTime, limit: context.settings.idleTimeout)
        switch action {
        case .refuseRequest: refuseUnfinished { .tooSlow($0) }
        case .sendDeferredResponse: sendDeferredResponse()
        case .checkAgain(let delay): setDeadline(after: delay)
        case .closeNow: closeIdle()
        case .none: break
        }
    }

    func sendDeferredResponse() { onTimeout.take()?() }

    func closeNow() {
        isCut = pendingBytes > 0
        channel?.closeNow()
    }

    /// Sends what is pending, then closes. The timeout bounds how long the client may take to read it.
    func close(_ timeout: HTTPConnectionStateMachine.Timeout, linger: Linger) {
        startTimeout(timeout)
        channel?.closeAfterFlush(linger: linger)
        releaseInput()
    }
}

extension Linger {
    /// For a client that has no reason to send more: ends when it has the last byte.
    static let short = Linger(bytes: 65536, time: .seconds(1), endsWhenTaken: true)

    /// For a client that still sends while the server has no memory, or no place, for it.
    static let brief = Linger(bytes: 262_144, time: .seconds(1))
}

// Sends responses.
extension HTTPConnection {
    /// Sends the response to the current request. The next request is read, or the connection closes.
    package func answer(_ response: Response) { answer(response, linger: nil) }

    /// Sends the response to a request that has not arrived completely.
    ///
    /// - Parameter linger: how long a client that still sends the request may do so; nil if the request has arrived.
    func answer(_ response: Response, linger: Linger?) {
        let isLast = context.isDraining || isProvisional
        guard let channel, let action = machine.respond(isDraining: isLast) else { return }
        onTimeout = nil
        let head = stopAwaitingResponse()
        write(response, action.encoder, to: channel)
        if let head { answered(head) }
        (subject, credentials) = (nil, nil)
        if action.closes {
            close(action.timeout, linger: linger ?? (isLast ? .short : Linger()))
        } else {
            startTimeout(action.timeout)
            channel.resumeReading()
        }
        if requestObserver != nil { notifyRequestObserver() }
    }

    /// Whether an observer is notified when the current request ends.
    package func notifiesAtEnd(_ observer: any RequestObserver) -> Bool { requestObserver === observer }

    /// Notifies an observer when the current request ends. Another one, for which this was called before, is notified now.
    package func notifyAtEnd(_ observer: any RequestObserver) {
        if requestObserver != nil { notifyRequestObserver() }
        requestObserver = observer
    }

    func notifyRequestObserver() { requestObserver.take()?.requestEnded(on: context.loop) }

    /// Writes a large body as it is, since a copy behind the head would double its memory.
    private func write(_ response: Response, _ encoder: ResponseEncoder, to channel: Channel) {
        guard response.body.count > Self.maxCopiedBytes else {
            let bytes = encoder.bytes(of: response, date: context.date, requestID: requestID)
            count(bytes)
            // Many responses are made in one turn, when the commits are durable that they wait for.
            return channel.writeSoon(bytes)
        }
        channel.cork()
        write(encoder.head(of: response, date: context.date, requestID: requestID), to: channel)
        if encoder.sendsBody(of: response) { write(response.body, to: channel) }
        channel.uncork()
    }

    func write(_ bytes: [UInt8], to channel: Channel) {
        count(bytes)
        channel.write(bytes)
    }

    /// All bytes for the client are counted here.
    func count(_ bytes: [UInt8]) {
        context.settings.traffic.sent(bytes.count)
        streamedBytes += bytes.count
    }

    /// The request in progress was not answered at once.
    func startAwaitingResponse(to head: RequestHead) {
        awaitingRequest = head
        context.settings.traffic.responseAwaited()
    }

    /// - Returns: the request that awaited its response, if one did.
    @discardableResult
    func stopAwaitingResponse() -> RequestHead? {
        guard let head = awaitingRequest.take() else { return nil }
        task = nil
        if awaitedBodyBytes > 0 { releaseBody() }
        context.settings.traffic.responseNotAwaited()
        return head
    }

    /// The response is written, perhaps not to the system yet.
    func answered(_ head: RequestHead) {
        unsentRequest = pendingBytes > 0 ? head : nil
    }

    static var maxCopiedBytes: Int { 32_768 }

    /// Whether a response of this length may wait for the client.
    ///
    /// A short one always may, so that clients learn what is wrong. The number of connections bounds those.
    package func hasRoom(for byteCount: Int) -> Bool {
        byteCount <= HTTPConnectionStateMachine.maxPendingResponseBytes || admitsOutput(byteCount)
    }

    /// Whether so many bytes more may wait for all clients together.
    func admitsOutput(_ byteCount: Int) -> Bool { context.settings.output.admits(byteCount) }
}
