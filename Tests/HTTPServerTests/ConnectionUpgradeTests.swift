import Glibc
import HTTP
import HTTPServer
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

    private final class Handler: RequestHandler {
        func handle(_ request: consuming Request, _ exchange: consuming Exchange) {
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

    private static func request(_ path: String = "/") -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"
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
        _ limit: ConnectionLimit = ConnectionLimit(), _ body: (HTTPServer) async throws -> Void
    ) async throws {
        let group = try EventLoopGroup(count: 1)
        var settings = HTTPServer.Settings()
        settings.connectionLimit = limit
        let server = try HTTPServer(
            on: SocketAddress.listening(host: "127.0.0.1", port: 0), group, settings: settings, handler: Handler())
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

    @Test func aDrainAsksTheOtherProtocolToEnd() async throws {
        try await run { server in
            let client = Client(server.address)
            client.send(Self.request())
            #expect(client.receive(Self.agreement.utf8.count) == Self.agreement)
            await server.drain(within: .milliseconds(200))
            #expect(client.receive() == "bye")
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
