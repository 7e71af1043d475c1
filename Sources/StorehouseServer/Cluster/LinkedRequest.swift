import Cluster
import HTTP
import HTTPServer
import Locks
import Platform
import Sockets

/// A request that another node forwards, and the place where its response goes. On the loop of its connection only.
final class LinkedRequest {
    /// A body of up to this length is not counted while it is handled.
    private static let uncountedBody = 4096

    let peer: IPAddress
    let origin: UInt16
    let requestID: String
    let requestStartedAt: MonotonicInstant
    /// Whether the other node has checked that the client is an operator.
    let isByOperator: Bool
    var subject: AnyObject?
    @exclusivity(unchecked) private(set) var streamedBytes = 0
    /// Whether pieces of the stream may wait for the other node.
    @exclusivity(unchecked) private var hasWaited = false
    private(set) var isCut = false
    private let head: RequestHead
    private let number: UInt32
    private let handler: any RequestHandler
    private let connection: HTTPConnection
    @exclusivity(unchecked) private var link: AcceptedLink?
    private let bodyLength: Int
    private var body: [UInt8] = []
    /// Whether the response is awaited beyond the turn in which the request came.
    private var isCounted = false
    private var isAwaited = true
    private var observer: (any RequestObserver)?
    private var onTimeout: (@Sendable () -> Void)?
    private var timer: LoopTimer?
    var task: Task<Void, Never>?
    private var stream: (any StreamHandler)?

    init(
        _ message: ReceivedMessage, _ number: UInt32, bodyLength: Int, isByOperator: Bool, of link: AcceptedLink,
        _ connection: HTTPConnection, _ handler: any RequestHandler, node: UInt16
    ) {
        (peer, requestID, head) = (message.client, message.requestID, message.head)
        self.isByOperator = isByOperator
        origin = node
        self.number = number
        self.handler = handler
        self.connection = connection
        self.link = link
        self.bodyLength = bodyLength
        requestStartedAt = connection.now
    }

    /// Takes a part of its body. The request is handled when it is complete.
    func received(_ piece: UnsafeRawBufferPointer) {
        guard bodyLength <= connection.maxBodyBytes else {
            if isAwaited { refuseBody() }
            return
        }
        body.append(contentsOf: piece)
        guard body.count == bodyLength else { return }
        let body = self.body
        self.body = []
        handler.handle(Request(head: head, body: body), Exchange(connection: self, number: 0))
        guard isAwaited else { return }
        isCounted = true
        connection.requestAwaitsResponse(holding: heldBytes)
    }

    private var heldBytes: Int { bodyLength > Self.uncountedBody ? bodyLength : 0 }

    private func refuseBody() {
        let failure = RequestFailure(.bodyTooLarge, "The body has more than \(connection.maxBodyBytes) bytes.")
        answer(handler.response(to: failure, of: head, on: self))
    }

    /// The response is there, or is not awaited any more.
    private func stopAwaiting() {
        isAwaited = false
        onTimeout = nil
        task = nil
        if let timer = timer.take() { loop.cancel(timer) }
        if isCounted { connection.requestAwaitsNoResponse(holding: heldBytes) }
        isCounted = false
        observer.take()?.requestEnded(on: loop)
    }

    /// The other node awaits nothing any more, or is gone.
    func closed() {
        isCut = link.map { $0.pendingBytes(number) > 0 } ?? false
        link = nil
        task.take()?.cancel()
        if isAwaited {
            stopAwaiting()
            handler.requestWasCut(head, on: self, since: requestStartedAt)
        }
        stream.take()?.streamClosed()
        subject = nil
    }

    /// The client has taken all that was sent.
    func drained() {
        hasWaited = false
        stream?.streamDrained()
    }

    func shouldEnd(among streamCount: Int) { stream?.streamShouldEnd(among: streamCount) }

    func mustAnswer() { onTimeout.take()?() }
}

extension LinkedRequest: RequestSource {
    var loop: any EventLoop { connection.loop }

    var bound: LoopBound<any RequestSource> { LoopBound(self as any RequestSource, on: loop) }

    func isCurrent(_ number: Int) -> Bool { isAwaited }

    func hasRoom(for byteCount: Int) -> Bool { connection.hasRoom(for: byteCount) }

    func answer(_ response: Response) {
        guard isAwaited else { return }
        link.take()?.respond(number, response)
        subject = nil
        stopAwaiting()
    }

    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        if let timer { loop.cancel(timer) }
        onTimeout = body
        timer = loop.schedule(after: delay) { [weak self] in self?.mustAnswer() }
    }

    func disconnect() {
        link.take()?.cancel(number)
        closed()
    }

    func notifiesAtEnd(_ observer: any RequestObserver) -> Bool { self.observer === observer }

    func notifyAtEnd(_ observer: any RequestObserver) {
        self.observer.take()?.requestEnded(on: loop)
        self.observer = observer
    }

    func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {
        guard isAwaited, let link else { return }
        stream = owner
        link.startBody(number, fields)
        stopAwaiting()
        // Nobody else ends a stream that begins during the drain.
        if link.isDraining { loop.atEndOfTurn { [self] in shouldEnd(among: 1) } }
    }

    /// The protocol of a connection is not the client's to change.
    func upgrade(
        to name: String, _ fields: [Response.Field], usingReserve: Bool, _ owner: any StreamHandler
    ) -> HTTPConnection? { nil }

    func send(chunk: [UInt8], payload: Range<Int>) {
        streamedBytes += payload.count
        if let link, !link.send(number, chunk, payload) { hasWaited = true }
    }

    func send(parts: [[UInt8]]) {
        streamedBytes += parts.reduce(0) { $0 + $1.count }
        if let link, !link.send(number, parts) { hasWaited = true }
    }

    func collectWrites(_ body: () -> Void) { body() }

    func endStream() {
        stream = nil
        link.take()?.end(number)
    }

    var pendingBytes: Int { hasWaited ? link?.pendingBytes(number) ?? 0 : 0 }
}

extension RequestContext {
    /// Whether another node has sent the request.
    var isForwarded: Bool { exchange.connection.origin != 0 }

    /// Whether another node has checked that its client is an operator.
    var hasRightOfOperator: Bool { (exchange.connection as? LinkedRequest)?.isByOperator == true }
}
