import Glibc
import HTTP
import HTTPServer
import Locks
import Platform
import Sockets
import Testing

/// A connection whose bytes are those of another protocol from some request on.
@Suite(.timeLimit(.minutes(5))) struct ConnectionUpgradeTests {
    /// Sends back what comes, and says goodbye when the server drains.
    private final class Echo: StreamHandler {
        var connection: HTTPConnection?

        func streamReceived(_ bytes: UnsafeRawBufferPointer) { connection?.sendSoon([UInt8](bytes)) }

        func streamDrained() {}

        func streamClosed() { connection = nil }

        func streamShouldEnd(among streamCount: Int) { connection?.sendSoon(Array("bye".utf8)) }

        func streamMustAnswer() { connection?.disconnect() }
    }

    /// A connection that has clients of its own.
    private final class Many: StreamHandler {
        final class Client: StreamClient {
            let heldBytes: Int
            let stalledTime: Duration
            private let report: @Sendable (Event) -> Void
            private let loop: any EventLoop

            init(
                _ heldBytes: Int, _ stalledTime: Duration, on loop: any EventLoop,
                report: @escaping @Sendable (Event) -> Void
            ) {
                (self.heldBytes, self.stalledTime, self.loop, self.report) = (heldBytes, stalledTime, loop, report)
            }

            func disconnect() { report(.disconnected(heldBytes)) }

            func streamShouldEnd(among streamCount: Int) { report(.shouldEnd(among: streamCount, at: loop.now)) }
        }

        enum Event: Equatable {
            case begins
            case shouldEnd(among: Int, at: MonotonicInstant)
            case disconnected(Int)
            case closed
        }

        private let report: @Sendable (Event) -> Void
        let clients: [any StreamClient]?

        init(_ clients: [Client], report: @escaping @Sendable (Event) -> Void) {
            (self.clients, self.report) = (clients, report)
        }

        func drainBegins() { report(.begins) }

        func streamDrained() {}

        func streamClosed() { report(.closed) }

        func streamShouldEnd(among streamCount: Int) { report(.disconnected(-1)) }
    }

    private final class Handler: RequestHandler {
        /// The fate of a connection with clients of its own.
        let events = Locked([Many.Event]())

        /// Three clients of which two take nothing, and as many others as the path says.
        private func startMany(_ exchange: Exchange, _ path: String) {
            let report: @Sendable (Many.Event) -> Void = { [events] event in events.withLock { $0.append(event) } }
            let held = [300, 400, 500].map { Many.Client($0, .seconds($0 / 200), on: exchange.loop, report: report) }
            let others = (0..<(Int(path.dropFirst()) ?? 0)).map { _ in
                Many.Client(0, .zero, on: exchange.loop, report: report)
            }
            let connection = exchange.upgrade(to: "many", owner: Many(held + others, report: report))
            if others.isEmpty { connection?.addOutput(1000) }
        }

        func handle(_ request: consuming Request, _ exchange: consuming Exchange) {
            if request.head.fields.hasOne("upgrade", is: "many") { return startMany(exchange, request.head.target) }
            guard request.head.fields.hasOne("upgrade", is: "echo") else { return exchange.answer(Response(.ok)) }
            let echo = Echo()
            echo.connection = exchange.upgrade(
                to: "echo", [.init("Echo", "1")], usingReserve: request.head.target == "/reserve", owner: echo)
            if echo.connection == nil { exchange.answer(Response(.serviceUnavailable)) }
        }

        func response(to failure: RequestFailure, of head: RequestHead?, on connection: any RequestSource) -> Response {
            Response(failure.status)
        }

        func limitRefusal(of head: RequestHead, on connection: any RequestSource) -> Response? { nil }
    }

    private static let agreement =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nEcho: 1\r\n\r\n"

    private static func request(_ path: String = "/", _ name: String = "echo") -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\r\n"
    }

    private struct Client: ~Copyable {
        private let descriptor: Int32

        init(_ address: SocketAddress) {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var waitTimeout = timeval(tv_sec: 120, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &waitTimeout, socklen_t(MemoryLayout<timeval>.size))
            precondition(address.withSockaddr { [descriptor] in connect(descriptor, $0, $1) } == 0, "no connection")
        }

        deinit { close(descriptor) }

        func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, 0) }

        /// So many bytes, or those before the end.
        func receive(_ count: Int = .max) -> String {
            var (received, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
            while received.count < count {
                let length = recv(descriptor, &bytes, min(bytes.count, count - received.count), 0)
                guard length > 0 else { break }
                received += bytes.prefix(length)
            }
            return String(decoding: received, as: UTF8.self)
        }
    }

    private func run(
        _ limit: ConnectionLimit = ConnectionLimit(), output: OutputBudget = OutputBudget(limit: .max),
        http2: (@Sendable (HTTPConnection) -> (any StreamHandler)?)? = nil, handler: Handler = Handler(),
        _ body: (HTTPServer) async throws -> Void
    ) async throws {
        let group = try EventLoopGroup(count: 1)
        var settings = HTTPServer.Settings()
        settings.connectionLimit = limit
        settings.output = output
        settings.http2 = http2
        let server = try HTTPServer(
            on: SocketAddress.listening(host: "127.0.0.1", port: 0), group, settings: settings, handler: handler)
        try await body(server)
        await server.drain(within: .milliseconds(200))
        await server.stopListening()
        await group.stop()
    }

    @Test func theBytesBehindTheRequestAreThoseOfTheOtherProtocol() async throws {
        try await run { server in
            let client = Client(server.address)
            client.send(Self.request() + "GET / HTTP/1.1\r\n")
            #expect(client.receive(Self.agreement.utf8.count) == Self.agreement)
            #expect(client.receive(16) == "GET / HTTP/1.1\r\n")
            client.send("\r\n")
            #expect(client.receive(2) == "\r\n")
        }
    }

    private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    private static let echo: @Sendable (HTTPConnection) -> any StreamHandler = { connection in
        let echo = Echo()
        echo.connection = connection
        return echo
    }

    @Test func aConnectionThatBeginsWithHTTP2IsGivenAway() async throws {
        try await run(http2: Self.echo) { server in
            let client = Client(server.address)
            client.send(Self.preface + "frames")
            #expect(client.receive(Self.preface.utf8.count + 6) == Self.preface + "frames")
            let slow = Client(server.address)
            for byte in Self.preface { slow.send(String(byte)) }
            #expect(slow.receive(Self.preface.utf8.count) == Self.preface)
            await server.drain(within: .milliseconds(200))
            #expect(client.receive() == "bye")
        }
    }

    @Test func otherwiseThePrefaceIsAMistake() async throws {
        try await run { server in
            let client = Client(server.address)
            client.send(Self.preface)
            #expect(client.receive().hasPrefix("HTTP/1.1 505 "))
        }
        let refusal: @Sendable (HTTPConnection) -> (any StreamHandler)? = { _ in nil }
        try await run(http2: refusal) { server in
            let client = Client(server.address)
            client.send(Self.preface)
            #expect(client.receive().hasPrefix("HTTP/1.1 505 "))
        }
        try await run(http2: Self.echo) { server in
            let client = Client(server.address)
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.preface)
            #expect(client.receive().contains("HTTP/1.1 505 "))
        }
    }

    @Test func aDrainAsksTheOtherProtocolToEnd() async throws {
        try await run { server in
            let client = Client(server.address)
            client.send(Self.request())
            #expect(client.receive(Self.agreement.utf8.count) == Self.agreement)
            await server.drain(within: .milliseconds(200))
            #expect(client.receive() == "bye")
        }
    }

    /// Their clients would all reconnect to another server at the same moment.
    @Test func aDrainEndsTheStreamsOfAnotherServerInBatches() async throws {
        let handler = Handler()
        try await run(handler: handler) { server in
            let client = Client(server.address)
            client.send(Self.request("/297", "many"))
            #expect(client.receive(12) == "HTTP/1.1 101")
            await server.drain(within: .milliseconds(800))
            #expect(client.receive().hasSuffix("\r\n\r\n"))
        }
        let events = handler.events.withLock(\.self)
        #expect(events.count == 302)
        #expect(events.first == .begins)
        #expect(events.last == .closed)
        var moments: [MonotonicInstant] = []
        for case .shouldEnd(let count, let moment) in events {
            #expect(count == 300)
            if moments.last != moment { moments.append(moment) }
        }
        #expect(moments.count == 10)
    }

    /// One slow client does not cost the others of its server their connection.
    @Test func aSlowClientOfAnotherServerIsDisconnectedByItself() async throws {
        let handler = Handler()
        try await run(output: OutputBudget(limit: 900), handler: handler) { server in
            let client = Client(server.address)
            client.send(Self.request("/", "many"))
            #expect(client.receive(12) == "HTTP/1.1 101")
            while handler.events.withLock(\.isEmpty) { await Task.yield() }
            #expect(handler.events.withLock { $0.first } == .disconnected(500))
            #expect(!handler.events.withLock { $0.contains(.closed) || $0.contains(.disconnected(300)) })
        }
    }

    @Test func onlyWhomTheReserveIsForStaysBeyondTheLimit() async throws {
        try await run(ConnectionLimit(1, reserve: 1, provisional: 8)) { server in
            let first = Client(server.address)
            first.send(Self.request())
            #expect(first.receive(Self.agreement.utf8.count) == Self.agreement)
            let stranger = Client(server.address)
            stranger.send(Self.request())
            #expect(stranger.receive().hasPrefix("HTTP/1.1 503 "))
            let second = Client(server.address)
            second.send(Self.request("/reserve") + "echo")
            #expect(second.receive(Self.agreement.utf8.count + 4) == Self.agreement + "echo")
            let third = Client(server.address)
            third.send(Self.request("/reserve"))
            #expect(third.receive().hasPrefix("HTTP/1.1 503 "))
            // Both have their places until here.
            for client in [0, 1] {
                if client == 0 { first.send("a") } else { second.send("a") }
                #expect((client == 0 ? first.receive(1) : second.receive(1)) == "a")
            }
        }
    }
}
