package import HTTP
package import Platform
package import Sockets
package import Threads

/// A request that shares its connection with others. Its response leaves by a ``ResponseCarrier``. On the loop of the connection only.
package final class CarriedRequest {
    // Each event of a stream reads the first properties, which are close together.
    /// Nil once the response has ended.
    @exclusivity(unchecked) package var carrier: (any ResponseCarrier)?
    @exclusivity(unchecked) package private(set) var streamedBytes = 0
    private var stream: (any StreamHandler)?
    /// Nil once the response has begun, or is not awaited any more.
    private var awaiting: Awaiting?
    package let peer: IPAddress
    package let origin: UInt16
    package private(set) var isCut = false
    package let requestID: String
    package private(set) var requestStartedAt: MonotonicInstant
    package var subject: AnyObject?
    package var credentials: AnyObject?
    private let handler: any RequestHandler
    private let connection: HTTPConnection

    /// A request until its response begins. A stream needs no memory for this.
    private final class Awaiting {
        let head: RequestHead
        /// Nil if only its end says how long the body is.
        let bodyLength: Int?
        var body: [UInt8] = []
        /// How many bytes of the request the input budget counts.
        var countedInput = 0
        /// Whether the request has arrived completely.
        var isComplete = false
        /// Whether the response is awaited beyond the turn in which the request came.
        var isCounted = false
        // Its closure refers to the request until the response begins. A weak one would make each later retain dearer.
        var timer: LoopTimer?
        var observer: (any RequestObserver)?
        var onTimeout: (@Sendable () -> Void)?
        var task: Task<Void, Never>?

        init(_ head: RequestHead, bodyLength: Int?) { (self.head, self.bodyLength) = (head, bodyLength) }
    }

    /// - Parameters:
    ///   - peer: see ``RequestSource/peer``.
    ///   - origin: see ``RequestSource/origin``.
    ///   - requestID: see ``RequestSource/requestID``.
    ///   - bodyLength: nil if only its end says how long the body is.
    package init(
        _ head: RequestHead, from peer: IPAddress, origin: UInt16 = 0, requestID: String, bodyLength: Int?,
        on connection: HTTPConnection, _ handler: any RequestHandler
    ) {
        (self.peer, self.origin, self.requestID) = (peer, origin, requestID)
        awaiting = Awaiting(head, bodyLength: bodyLength)
        self.handler = handler
        self.connection = connection
        requestStartedAt = connection.now
    }

    /// Whether the response is awaited.
    package var isAwaited: Bool { awaiting != nil }

    /// Whether the response is a stream.
    package var isStream: Bool { stream != nil }

    /// Makes the response, and is cancelled if the client leaves before it is there.
    package var task: Task<Void, Never>? {
        get { awaiting?.task }
        set { awaiting?.task = newValue }
    }

    private var context: ConnectionManager { connection.context }

    private var limits: HTTPLimits { context.settings.limits }

    /// The response has begun, or is not awaited any more.
    private func stopAwaiting() {
        guard let awaiting = awaiting.take() else { return }
        stopTimer(awaiting)
        if awaiting.isCounted { context.settings.traffic.responseNotAwaited() }
        hold(0, awaiting)
        awaiting.observer?.requestEnded(on: loop)
    }

    private func stopTimer(_ awaiting: Awaiting) {
        if let timer = awaiting.timer.take() { loop.cancel(timer) }
    }

    /// The client awaits nothing any more, or is gone.
    package func closed() {
        if let carrier = carrier.take() { isCut = carrier.pendingBytes > 0 }
        if let awaiting {
            awaiting.task?.cancel()
            stopAwaiting()
            handler.requestWasCut(awaiting.head, on: self, since: requestStartedAt)
        }
        stream.take()?.streamClosed()
        (subject, credentials) = (nil, nil)
    }

    /// The client has taken all bytes of its stream that have waited for it.
    package func drained() { stream?.streamDrained() }

    /// The server drains, and its client has to connect to another one.
    ///
    /// - Parameter streamCount: how many streams end.
    package func streamShouldEnd(among streamCount: Int) { stream?.streamShouldEnd(among: streamCount) }

    /// The server drains, and cannot wait any longer for the response.
    package func mustAnswer() { awaiting?.onTimeout.take()?() }
}

// The body.
extension CarriedRequest {
    /// Takes the first part of the body, unless the request is refused because of its head. ``awaitBody()`` has to follow if others
    /// are not there at once.
    package func begin(_ piece: UnsafeRawBufferPointer) {
        let bodyLength = awaiting?.bodyLength
        let (length, isWhole) = (bodyLength ?? .max, piece.count == bodyLength)
        if let bodyLength, bodyLength > limits.maxBodyBytes { return refuseLargeBody() }
        guard isWhole ? !context.refusesBody(length) : context.admitsInput(length) else { return refuseOverload() }
        received(piece)
    }

    /// Takes a part of the body. The request is handled when it is complete.
    package func received(_ piece: UnsafeRawBufferPointer) {
        guard let awaiting, !awaiting.isComplete else { return }
        awaiting.body.append(contentsOf: piece)
        if awaiting.body.count == awaiting.bodyLength { return bodyEnded() }
        guard awaiting.body.count <= limits.maxBodyBytes else { return refuseLargeBody() }
        hold(awaiting.head.fields.heldBytes + awaiting.body.count, awaiting)
    }

    /// The body is complete.
    package func bodyEnded() {
        guard let awaiting, !awaiting.isComplete else { return }
        awaiting.isComplete = true
        stopTimer(awaiting)
        requestStartedAt = connection.now
        var body: [UInt8] = []
        swap(&body, &awaiting.body)
        let byteCount = body.count
        handler.handle(Request(head: awaiting.head, body: body), Exchange(connection: self, number: 0))
        guard isAwaited else { return }
        awaiting.isCounted = true
        context.settings.traffic.responseAwaited()
        hold(byteCount > InputBudget.uncountedBody ? byteCount : 0, awaiting)
    }

    /// How many bytes it holds while it has not arrived completely.
    package var unfinishedBytes: Int { awaiting.map { $0.isComplete ? 0 : $0.countedInput } ?? 0 }

    private func hold(_ byteCount: Int, _ awaiting: Awaiting) {
        guard byteCount != awaiting.countedInput else { return }
        connection.addInput(byteCount - awaiting.countedInput)
        awaiting.countedInput = byteCount
    }

    /// Refuses the request once its body is late.
    package func awaitBody() {
        guard let awaiting, !awaiting.isComplete else { return }
        awaiting.timer = nil
        let limit = context.settings.bodyTime.limit(received: awaiting.body.count)
        let rest = limit - requestStartedAt.duration(to: loop.now)
        guard rest > .zero else { return refuse(.tooSlow(awaiting.head)) }
        awaiting.timer = loop.schedule(after: rest) { [self] in awaitBody() }
    }

    private func refuse(_ failure: RequestFailure) {
        answer(handler.response(to: failure, of: awaiting?.head, on: self))
    }

    private func refuseLargeBody() {
        refuse(RequestFailure(.bodyTooLarge, "The body has more than \(limits.maxBodyBytes) bytes."))
    }

    /// Refuses the request because the server holds too much.
    package func refuseOverload() { refuse(.overloaded(awaiting?.head)) }
}

extension CarriedRequest: RequestSource {
    package var loop: any EventLoop { connection.loop }

    package var bound: LoopBound<any RequestSource> { LoopBound(self as any RequestSource, on: loop) }

    package func isCurrent(_ number: Int) -> Bool { isAwaited }

    /// A short response needs room too if much waits: one connection has any number of requests.
    package func hasRoom(for byteCount: Int) -> Bool {
        carrier?.isFull == true ? connection.admitsOutput(byteCount) : connection.hasRoom(for: byteCount)
    }

    package func answer(_ response: Response) {
        guard let awaiting else { return }
        carrier.take()?.respond(response, to: awaiting.head)
        (subject, credentials) = (nil, nil)
        stopAwaiting()
    }

    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        guard let awaiting else { return }
        stopTimer(awaiting)
        awaiting.onTimeout = body
        awaiting.timer = loop.schedule(after: delay) { [self] in mustAnswer() }
    }

    package func disconnect() {
        isCut = pendingBytes > 0
        carrier.take()?.cancel()
        closed()
    }

    package func notifiesAtEnd(_ observer: any RequestObserver) -> Bool { awaiting?.observer === observer }

    package func notifyAtEnd(_ observer: any RequestObserver) {
        awaiting?.observer.take()?.requestEnded(on: loop)
        awaiting?.observer = observer
    }

    package func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {
        guard let awaiting, let carrier else { return }
        stream = owner
        carrier.startStream(Response(.ok, fields: fields), to: awaiting.head)
        stopAwaiting()
        // Nobody else ends a stream that begins during the drain.
        if context.isDraining { loop.atEndOfTurn { [self] in streamShouldEnd(among: 1) } }
    }

    /// The protocol of a connection is not the client's to change.
    package func upgrade(
        to name: String, _ fields: [Response.Field], usingReserve: Bool, _ owner: any StreamHandler
    ) -> HTTPConnection? { nil }

    package func send(chunk: [UInt8], payload: Range<Int>) {
        streamedBytes += payload.count
        carrier?.send(chunk, payload)
    }

    package func send(parts: [[UInt8]]) {
        streamedBytes += parts.reduce(0) { $0 + $1.count }
        carrier?.send(parts)
    }

    package func collectWrites(_ body: () -> Void) { body() }

    package func endStream() {
        stream = nil
        carrier.take()?.endStream()
    }

    package var pendingBytes: Int { carrier?.pendingBytes ?? 0 }
}
