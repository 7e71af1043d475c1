import Cluster
import HTTP
import HTTPServer
import Platform
import Security
import Sessions
import Sockets
import Stores
import Threads

/// A request that another node forwards, and the place where its response goes. On the loop of its connection only.
final class LinkedRequest {
    let peer: IPAddress
    let origin: UInt16
    let requestID: String
    private(set) var requestStartedAt: MonotonicInstant
    /// Whether the other node has checked that the client is an operator.
    let isByOperator: Bool
    var subject: AnyObject?
    var credentials: AnyObject?
    @exclusivity(unchecked) private(set) var streamedBytes = 0
    /// Whether pieces of the stream may wait for the other node.
    @exclusivity(unchecked) private var hasWaited = false
    /// When it took bytes last, or when the first of them began to wait.
    private var lastTakenAt: MonotonicInstant
    private(set) var isCut = false
    private let head: RequestHead
    private let number: UInt32
    private let handler: any RequestHandler
    private let connection: HTTPConnection
    @exclusivity(unchecked) private var link: AcceptedLink?
    private let bodyLength: Int
    private var body: [UInt8] = []
    /// How many bytes of the body the input budget counts.
    private var countedBody = 0
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
        lastTakenAt = requestStartedAt
    }

    /// Takes the first part of its body, unless it is refused because of its head.
    func begin(_ piece: UnsafeRawBufferPointer) {
        guard bodyLength <= connection.maxBodyBytes else {
            let detail = "The body has more than \(connection.maxBodyBytes) bytes."
            return refuse(RequestFailure(.bodyTooLarge, detail))
        }
        guard connection.admitsBody(bodyLength, isWhole: piece.count == bodyLength) else {
            return refuse(.overloaded(head))
        }
        received(piece)
        if piece.count < bodyLength { awaitBody() }
    }

    /// Takes a part of its body. The request is handled when it is complete.
    func received(_ piece: UnsafeRawBufferPointer) {
        body.append(contentsOf: piece)
        guard body.count == bodyLength else { return hold(body.count) }
        if let timer = timer.take() { loop.cancel(timer) }
        requestStartedAt = connection.now
        let body = self.body
        self.body = []
        handler.handle(Request(head: head, body: body), Exchange(connection: self, number: 0))
        guard isAwaited else { return }
        isCounted = true
        connection.requestAwaitsResponse()
        hold(bodyLength > InputBudget.uncountedBody ? bodyLength : 0)
    }

    /// Refuses the request once its body is late.
    private func awaitBody() {
        let rest = connection.bodyTime.limit(received: body.count) - requestStartedAt.duration(to: loop.now)
        guard rest > .zero else { return refuse(.tooSlow(head)) }
        timer = loop.schedule(after: rest) { [weak self] in self?.awaitBody() }
    }

    private func refuse(_ failure: RequestFailure) { answer(handler.response(to: failure, of: head, on: self)) }

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

    /// The other node awaits nothing any more, or is gone.
    func closed() {
        if let link = link.take() { isCut = link.pendingBytes(number) > 0 }
        task.take()?.cancel()
        if isAwaited {
            stopAwaiting()
            handler.requestWasCut(head, on: self, since: requestStartedAt)
        }
        stream.take()?.streamClosed()
        (subject, credentials) = (nil, nil)
    }

    /// The client has taken bytes of its stream that the others have waited for.
    func wasTaken(isAll: Bool) {
        lastTakenAt = connection.now
        guard isAll else { return }
        hasWaited = false
        stream?.streamDrained()
    }

    func mustAnswer() { onTimeout.take()?() }
}

extension LinkedRequest: StreamClient {
    var isStream: Bool { stream != nil }

    var heldBytes: Int { pendingBytes }

    var stalledTime: Duration { pendingBytes > 0 ? lastTakenAt.duration(to: connection.now) : .zero }

    func streamShouldEnd(among streamCount: Int) { stream?.streamShouldEnd(among: streamCount) }
}

extension LinkedRequest: RequestSource {
    var loop: any EventLoop { connection.loop }

    var bound: LoopBound<any RequestSource> { LoopBound(self as any RequestSource, on: loop) }

    func isCurrent(_ number: Int) -> Bool { isAwaited }

    /// A short response needs room too if much waits: one connection has any number of requests.
    func hasRoom(for byteCount: Int) -> Bool {
        link?.isFull == true ? connection.admitsOutput(byteCount) : connection.hasRoom(for: byteCount)
    }

    func answer(_ response: Response) {
        guard isAwaited else { return }
        var response = response
        nameGuest(in: &response)
        link.take()?.respond(number, response)
        (subject, credentials) = (nil, nil)
        stopAwaiting()
    }

    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        if let timer { loop.cancel(timer) }
        onTimeout = body
        timer = loop.schedule(after: delay) { [weak self] in self?.mustAnswer() }
    }

    func disconnect() {
        isCut = pendingBytes > 0
        link.take()?.cancel(number)
        closed()
    }

    func notifiesAtEnd(_ observer: any RequestObserver) -> Bool { self.observer === observer }

    func notifyAtEnd(_ observer: any RequestObserver) {
        self.observer.take()?.requestEnded(on: loop)
        self.observer = observer
    }

    /// The node that the client talks to cannot know whom a share has made a guest.
    private func nameGuest(in response: inout Response) {
        guard head.asksForActor, let guest = (credentials as? PermitTerms)?.holder else { return }
        response.name(actor: Base64URL.encode(Array(guest.id.text.utf8)))
    }

    func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {
        guard isAwaited, let link else { return }
        stream = owner
        var response = Response(.ok, fields: fields)
        nameGuest(in: &response)
        link.startBody(number, response)
        stopAwaiting()
        // Nobody else ends a stream that begins during the drain.
        if link.isDraining { loop.atEndOfTurn { [self] in streamShouldEnd(among: 1) } }
    }

    /// The protocol of a connection is not the client's to change.
    func upgrade(
        to name: String, _ fields: [Response.Field], usingReserve: Bool, _ owner: any StreamHandler
    ) -> HTTPConnection? { nil }

    func send(chunk: [UInt8], payload: Range<Int>) {
        streamedBytes += payload.count
        if let link, !link.send(number, chunk, payload) { startWaiting() }
    }

    func send(parts: [[UInt8]]) {
        streamedBytes += parts.reduce(0) { $0 + $1.count }
        if let link, !link.send(number, parts) { startWaiting() }
    }

    private func startWaiting() {
        if !hasWaited { lastTakenAt = connection.now }
        hasWaited = true
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

    /// Whether refusals leave here at set times. Another node waits with them itself, because it knows when its client has asked.
    var waitsWithRefusals: Bool { !isForwarded }

    /// Whether another node has checked that its client is an operator.
    var hasRightOfOperator: Bool { (exchange.connection as? LinkedRequest)?.isByOperator == true }

    /// Names the guest in the line of the access log whom the response of another node names.
    func logsGuest(namedIn response: inout Response) {
        guard let text = response.takeActor(), let id = Base64URL.decode(text.utf8) else { return }
        exchange.connection.credentials = LoggedGuest(.guest(ActorID(String(decoding: id, as: UTF8.self))))
    }
}
