package import HTTP
package import Platform
package import Sockets
package import Threads

/// A request that shares its connection with others, and the place where its response goes. On the loop of its connection only.
package final class MultiplexedRequest {
    package let head: RequestHead
    package let number: UInt32
    package let peer: IPAddress
    package let origin: UInt16
    package let requestID: String
    package private(set) var requestStartedAt: MonotonicInstant
    /// Whether the other end has checked that the client is an operator.
    package let isByOperator: Bool
    package var subject: AnyObject?
    package var credentials: AnyObject?
    @exclusivity(unchecked) package private(set) var streamedBytes = 0
    /// Whether pieces of the response may wait for the other end.
    @exclusivity(unchecked) private var hasWaited = false
    /// When it took bytes last, or when the first of them began to wait.
    private var lastTakenAt: MonotonicInstant
    package private(set) var isCut = false
    private let handler: any RequestHandler
    private let connection: HTTPConnection
    @exclusivity(unchecked) private var multiplexer: (any RequestMultiplexer)?
    /// Nil if only its end says how long the body is.
    private let bodyLength: Int?
    private var body: [UInt8] = []
    private var isComplete = false
    /// How many bytes of the body the input budget counts.
    private var countedBody = 0
    /// Whether the response is awaited beyond the turn in which the request came.
    private var isCounted = false
    package private(set) var isAwaited = true
    private var observer: (any RequestObserver)?
    private var onTimeout: (@Sendable () -> Void)?
    private var timer: LoopTimer?
    package var task: Task<Void, Never>?
    private var stream: (any StreamHandler)?

    /// - Parameters:
    ///   - peer: the address of the client, or of the proxy that it uses.
    ///   - requestID: see ``RequestSource/requestID``.
    ///   - bodyLength: nil if only its end says how long the body is.
    package init(
        _ head: RequestHead, _ number: UInt32, from peer: IPAddress, requestID: String, bodyLength: Int?,
        isByOperator: Bool = false, of multiplexer: any RequestMultiplexer, _ connection: HTTPConnection,
        _ handler: any RequestHandler
    ) {
        (self.head, self.number, self.peer, self.requestID) = (head, number, peer, requestID)
        self.isByOperator = isByOperator
        self.handler = handler
        self.connection = connection
        self.multiplexer = multiplexer
        self.bodyLength = bodyLength
        origin = multiplexer.origin
        requestStartedAt = connection.now
        lastTakenAt = requestStartedAt
    }

    /// Takes the first part of its body, unless it is refused because of its head.
    package func begin(_ piece: UnsafeRawBufferPointer) {
        guard (bodyLength ?? 0) <= connection.maxBodyBytes else { return refuseLargeBody() }
        guard connection.admitsBody(bodyLength ?? .max, isWhole: piece.count == bodyLength) else {
            return refuse(.overloaded(head))
        }
        received(piece)
        if piece.count != bodyLength { awaitBody() }
    }

    /// Takes a part of its body. The request is handled when it is complete.
    package func received(_ piece: UnsafeRawBufferPointer) {
        guard isAwaited, !isComplete else { return }
        body.append(contentsOf: piece)
        if body.count == bodyLength { return bodyEnded() }
        guard body.count <= connection.maxBodyBytes else { return refuseLargeBody() }
        hold(head.fields.heldBytes + body.count)
    }

    /// How many bytes it holds while its body has not arrived completely.
    package var unfinishedBytes: Int { isComplete ? 0 : countedBody }

    /// The body is complete.
    package func bodyEnded() {
        guard isAwaited, !isComplete else { return }
        isComplete = true
        if let timer = timer.take() { loop.cancel(timer) }
        requestStartedAt = connection.now
        let body = self.body
        let byteCount = body.count
        self.body = []
        handler.handle(Request(head: head, body: body), Exchange(connection: self, number: 0))
        guard isAwaited else { return }
        isCounted = true
        connection.requestAwaitsResponse()
        hold(byteCount > InputBudget.uncountedBody ? byteCount : 0)
    }

    private func refuseLargeBody() {
        refuse(RequestFailure(.bodyTooLarge, "The body has more than \(connection.maxBodyBytes) bytes."))
    }

    /// Refuses the request once its body is late.
    private func awaitBody() {
        let rest = connection.bodyTime.limit(received: body.count) - requestStartedAt.duration(to: loop.now)
        guard rest > .zero else { return refuse(.tooSlow(head)) }
        timer = loop.schedule(after: rest) { [weak self] in self?.awaitBody() }
    }

    package func refuse(_ failure: RequestFailure) { answer(handler.response(to: failure, of: head, on: self)) }

    private func hold(_ byteCount: Int) {
        guard byteCount != countedBody else { return }
        connection.addInput(byteCount - countedBody)
        countedBody = byteCount
    }

    /// The response is there, or is not awaited any more.
    private func stopAwaiting() {
        isAwaited = false
        onTimeout = nil
        task = nil
        if let timer = timer.take() { loop.cancel(timer) }
        if isCounted { connection.requestAwaitsNoResponse() }
        isCounted = false
        hold(0)
        observer.take()?.requestEnded(on: loop)
    }

    /// The other end awaits nothing any more, or is gone.
    package func closed() {
        if let multiplexer = multiplexer.take() { isCut = multiplexer.pendingBytes(number) > 0 }
        task.take()?.cancel()
        if isAwaited {
            stopAwaiting()
            handler.requestWasCut(head, on: self, since: requestStartedAt)
        }
        stream.take()?.streamClosed()
        (subject, credentials) = (nil, nil)
    }

    /// The client has taken bytes of its stream that the others have waited for.
    package func wasTaken(isAll: Bool) {
        lastTakenAt = connection.now
        guard isAll else { return }
        hasWaited = false
        stream?.streamDrained()
    }

    package func mustAnswer() { onTimeout.take()?() }
}

extension MultiplexedRequest: StreamClient {
    package var isStream: Bool { stream != nil }

    package var heldBytes: Int { pendingBytes }

    package var stalledTime: Duration { pendingBytes > 0 ? lastTakenAt.duration(to: connection.now) : .zero }

    package func streamShouldEnd(among streamCount: Int) { stream?.streamShouldEnd(among: streamCount) }
}

extension MultiplexedRequest: RequestSource {
    package var loop: any EventLoop { connection.loop }

    package var bound: LoopBound<any RequestSource> { LoopBound(self as any RequestSource, on: loop) }

    package func isCurrent(_ number: Int) -> Bool { isAwaited }

    /// A short response needs room too if much waits: one connection has any number of requests.
    package func hasRoom(for byteCount: Int) -> Bool {
        multiplexer?.isFull == true ? connection.admitsOutput(byteCount) : connection.hasRoom(for: byteCount)
    }

    package func answer(_ response: Response) {
        guard isAwaited else { return }
        multiplexer.take()?.respond(to: self, response)
        (subject, credentials) = (nil, nil)
        stopAwaiting()
    }

    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        if let timer { loop.cancel(timer) }
        onTimeout = body
        timer = loop.schedule(after: delay) { [weak self] in self?.mustAnswer() }
    }

    package func disconnect() {
        isCut = pendingBytes > 0
        multiplexer.take()?.cancel(number)
        closed()
    }

    package func notifiesAtEnd(_ observer: any RequestObserver) -> Bool { self.observer === observer }

    package func notifyAtEnd(_ observer: any RequestObserver) {
        self.observer.take()?.requestEnded(on: loop)
        self.observer = observer
    }

    package func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {
        guard isAwaited, let multiplexer else { return }
        stream = owner
        multiplexer.startBody(of: self, Response(.ok, fields: fields))
        stopAwaiting()
        // Nobody else ends a stream that begins during the drain.
        if multiplexer.isDraining { loop.atEndOfTurn { [self] in streamShouldEnd(among: 1) } }
    }

    /// The protocol of a connection is not the client's to change.
    package func upgrade(
        to name: String, _ fields: [Response.Field], usingReserve: Bool, _ owner: any StreamHandler
    ) -> HTTPConnection? { nil }

    package func send(chunk: [UInt8], payload: Range<Int>) {
        streamedBytes += payload.count
        if let multiplexer, !multiplexer.send(number, chunk, payload) { startWaiting() }
    }

    package func send(parts: [[UInt8]]) {
        streamedBytes += parts.reduce(0) { $0 + $1.count }
        if let multiplexer, !multiplexer.send(number, parts) { startWaiting() }
    }

    /// A piece of the response waits for the other end.
    package func startWaiting() {
        if !hasWaited { lastTakenAt = connection.now }
        hasWaited = true
    }

    package func collectWrites(_ body: () -> Void) { body() }

    package func endStream() {
        stream = nil
        multiplexer.take()?.end(number)
    }

    package var pendingBytes: Int { hasWaited ? multiplexer?.pendingBytes(number) ?? 0 : 0 }
}
