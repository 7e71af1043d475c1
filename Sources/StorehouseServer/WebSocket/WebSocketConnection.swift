import HTTP
import HTTPServer
import Locks
import Platform
import Sockets

/// The connection of a client that asks for a stream as a WebSocket (RFC 6455). On its loop only.
///
/// For the stream it is the source of the request, and upgrades the connection once the stream begins: a refusal is an HTTP
/// response. Then each text frame of the client is a request of its own, whose response leaves before the next one is read.
final class WebSocketConnection {
    private let exchange: Exchange
    private let handler: any RequestHandler
    private let accept: String
    /// The head of each action's request.
    private let actionHead: RequestHead
    /// Nil before the connection is upgraded, and once it is closed.
    private var http: HTTPConnection?
    private var stream: (any StreamHandler)?
    private var reader = WebSocketReader()
    /// The one that is not answered yet.
    private var action: WebSocketAction?
    private var actionCount = 0
    private var isReading = false
    /// Whether the last frame is sent.
    private var isClosing = false
    /// Whether nothing more is awaited of the client either.
    private var isOver = false
    private var sentBeforeStream = 0

    /// Nil if the request asks for no WebSocket.
    init?(_ exchange: Exchange, _ head: RequestHead, _ handler: any RequestHandler) {
        let fields = head.fields
        guard head.method == .get, head.version == .http11, fields.first("upgrade", is: "websocket"),
            fields.values("connection").contains(where: { $0.lowercased().contains("upgrade") }),
            fields.first("sec-websocket-version", is: "13"), let key = fields.first("sec-websocket-key"),
            let actionHead = Self.actionHead(head)
        else { return nil }
        self.exchange = exchange
        self.handler = handler
        self.actionHead = actionHead
        accept = WebSocketHandshake.accept(key)
    }

    private static let fieldsOfClient: Set = [
        "host", "origin", "authorization", "user-agent", "forwarded", "x-forwarded-for", "x-forwarded-host",
        "x-forwarded-proto",
    ]

    /// A head has no initializer that takes values, so it is written and parsed.
    private static func actionHead(_ head: RequestHead) -> RequestHead? {
        let path = head.target.prefix { $0 != "?" }
        guard path.hasSuffix("/events") else { return nil }
        var text = "POST \(path.dropLast("events".count))actions HTTP/1.1\r\ncontent-type: application/json\r\n"
        for (name, value) in head.fields where fieldsOfClient.contains(name.lowercased()) {
            text += "\(name): \(value)\r\n"
        }
        var parser = RequestParser(limits: HTTPLimits(maxHeaderBytes: .max, maxTargetBytes: .max))
        guard case .head(let made, _) = Array((text + "\r\n").utf8).withUnsafeBytes({ parser.parse($0) }) else {
            return nil
        }
        return made
    }
}

// Receiving.
extension WebSocketConnection: StreamHandler {
    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        reader.add(bytes)
        readMessages()
        if action != nil { http?.pauseReading() }
    }

    private func readMessages() {
        guard let http, !isReading else { return }
        isReading = true
        defer { isReading = false }
        do throws(WebSocketReader.Failure) {
            while action == nil, !isOver, let message = try reader.next() { receive(message, http) }
        } catch {
            isOver = true
            close(error.code)
        }
    }

    private func receive(_ message: WebSocketReader.Message, _ http: HTTPConnection) {
        switch message {
        case .ping(let payload): if !isClosing { http.sendSoon(WebSocketFrame.bytes(.pong, payload)) }
        case .pong: break
        case .close where isClosing: http.disconnect()
        case .close(let payload):
            isOver = true
            close(payload.count < 2 ? 1000 : UInt16(payload[0]) << 8 | UInt16(payload[1]))
        case .text where isClosing: break
        case .text(let body):
            actionCount += 1
            let action = WebSocketAction(
                actionHead, requestID: "\(exchange.connection.requestID.prefix(48))-\(actionCount)", of: self, http,
                handler)
            self.action = action
            action.begin(body)
        }
    }

    fileprivate func answered(_ response: Response) {
        action = nil
        let body = response.body.last == 0x0a ? Array(response.body.dropLast()) : response.body
        if !isClosing { http?.sendSoon(WebSocketFrame.bytes(.text, body)) }
        if !isReading { http?.resumeReading() }
        readMessages()
    }

    /// Sends the last frame. The client has a second to answer it, unless it has sent its own before.
    private func close(_ code: UInt16) {
        guard !isClosing, let http else { return }
        isClosing = true
        http.sendSoon(WebSocketFrame.close(code))
        _ = loop.schedule(after: .seconds(1)) { [weak self] in self?.http?.disconnect() }
    }

    func streamDrained() { if isClosing, isOver { http?.disconnect() } else { stream?.streamDrained() } }

    func streamClosed() {
        http = nil
        action.take()?.cut()
        stream.take()?.streamClosed()
    }

    func streamShouldEnd(among streamCount: Int) { stream?.streamShouldEnd(among: streamCount) }

    func streamMustAnswer() { action?.mustAnswer() }
}

// The source of the request for the stream.
extension WebSocketConnection: RequestSource {
    private var client: any RequestSource { exchange.connection }

    var loop: any EventLoop { client.loop }
    var bound: LoopBound<any RequestSource> { LoopBound(self as any RequestSource, on: loop) }
    var peer: IPAddress { client.peer }
    var origin: UInt16 { client.origin }
    var requestID: String { client.requestID }
    var requestStartedAt: MonotonicInstant { client.requestStartedAt }
    var pendingBytes: Int { client.pendingBytes }
    var streamedBytes: Int { client.streamedBytes - sentBeforeStream }
    var isCut: Bool { client.isCut }

    var subject: AnyObject? {
        get { client.subject }
        set { client.subject = newValue }
    }

    var task: Task<Void, Never>? {
        get { client.task }
        set { client.task = newValue }
    }

    func isCurrent(_ number: Int) -> Bool { exchange.isCurrent }
    func hasRoom(for byteCount: Int) -> Bool { client.hasRoom(for: byteCount) }
    func answer(_ response: Response) { exchange.answer(response) }
    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        client.schedule(after: delay, body)
    }
    func disconnect() { client.disconnect() }
    func notifiesAtEnd(_ observer: any RequestObserver) -> Bool { client.notifiesAtEnd(observer) }
    func notifyAtEnd(_ observer: any RequestObserver) { client.notifyAtEnd(observer) }

    func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {
        stream = owner
        http = exchange.upgrade(to: "websocket", [.init("Sec-WebSocket-Accept", accept)], owner: self)
        sentBeforeStream = client.streamedBytes
        if let http { reader.maxMessageBytes = http.maxBodyBytes }
        if http == nil { exchange.answer(Response(.serviceUnavailable)) }
        // The stream starts first, and has to know that it does not.
        loop.atEndOfTurn { [self] in http == nil ? streamClosed() : readMessages() }
    }

    func upgrade(
        to name: String, _ fields: [Response.Field], usingReserve: Bool, _ owner: any StreamHandler
    ) -> HTTPConnection? { nil }

    /// The codec has made frames of the events. Only those for one client come in a chunk.
    func send(chunk: [UInt8], payload: Range<Int>) {
        http?.sendSoon(payload.count == chunk.count ? chunk : Array(chunk[payload]))
    }

    func send(parts: [[UInt8]]) { for part in parts { http?.sendSoon(part) } }
    func collectWrites(_ body: () -> Void) { body() }

    func endStream() {
        stream = nil
        close(1001)
    }
}

/// The request of one action. On its loop only.
private final class WebSocketAction: RequestSource {
    let requestID: String
    let requestStartedAt: MonotonicInstant
    var subject: AnyObject?
    var task: Task<Void, Never>?
    private let head: RequestHead
    private let http: HTTPConnection
    private let handler: any RequestHandler
    /// Nil once it is over.
    private var socket: WebSocketConnection?
    /// Whether the response is awaited beyond the turn in which the request came.
    private var isCounted = false
    private var observer: (any RequestObserver)?
    private var onTimeout: (@Sendable () -> Void)?
    private var timer: LoopTimer?

    init(
        _ head: RequestHead, requestID: String, of socket: WebSocketConnection, _ http: HTTPConnection,
        _ handler: any RequestHandler
    ) {
        self.head = head
        self.requestID = requestID
        self.socket = socket
        self.http = http
        self.handler = handler
        requestStartedAt = http.now
    }

    func begin(_ body: [UInt8]) {
        if let refusal = handler.refusal(of: head, on: self) { return answer(refusal) }
        handler.handle(Request(head: head, body: body), Exchange(connection: self, number: 0))
        guard socket != nil else { return }
        isCounted = true
        http.requestAwaitsResponse()
    }

    /// - Returns: whom it was for; nil if it is over already.
    private func end() -> WebSocketConnection? {
        guard let socket = socket.take() else { return nil }
        onTimeout = nil
        task = nil
        subject = nil
        if let timer = timer.take() { loop.cancel(timer) }
        if isCounted { http.requestAwaitsNoResponse() }
        observer.take()?.requestEnded(on: loop)
        return socket
    }

    /// The client is gone.
    func cut() {
        task?.cancel()
        if end() != nil { handler.requestWasCut(head, on: self, since: requestStartedAt) }
    }

    func mustAnswer() { onTimeout.take()?() }

    func answer(_ response: Response) { end()?.answered(response) }

    var loop: any EventLoop { http.loop }
    var bound: LoopBound<any RequestSource> { LoopBound(self as any RequestSource, on: loop) }
    var peer: IPAddress { http.peer }
    var origin: UInt16 { 0 }
    var pendingBytes: Int { http.pendingBytes }
    var streamedBytes: Int { 0 }
    var isCut: Bool { http.isCut }
    func isCurrent(_ number: Int) -> Bool { socket != nil }
    func hasRoom(for byteCount: Int) -> Bool { http.hasRoom(for: byteCount) }
    func disconnect() { http.disconnect() }

    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        if let timer { loop.cancel(timer) }
        onTimeout = body
        timer = loop.schedule(after: delay) { [weak self] in self?.mustAnswer() }
    }

    func notifiesAtEnd(_ observer: any RequestObserver) -> Bool { self.observer === observer }

    func notifyAtEnd(_ observer: any RequestObserver) {
        self.observer.take()?.requestEnded(on: loop)
        self.observer = observer
    }

    // An action has no stream.
    func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {}
    func upgrade(
        to name: String, _ fields: [Response.Field], usingReserve: Bool, _ owner: any StreamHandler
    ) -> HTTPConnection? { nil }
    func send(chunk: [UInt8], payload: Range<Int>) {}
    func send(parts: [[UInt8]]) {}
    func collectWrites(_ body: () -> Void) {}
    func endStream() {}
}
