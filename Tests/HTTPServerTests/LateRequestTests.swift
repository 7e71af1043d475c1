import Dispatch
import Glibc
import HTTP
import HTTPServer
import Sockets
import Testing
import Threads

/// A request that comes while its connection is being closed because nothing else is awaited.
@Suite(.timeLimit(.minutes(5))) struct LateRequestTests {
    private final class Answerer: RequestHandler {
        func handle(_ request: consuming Request, _ exchange: consuming Exchange) { exchange.answer(Response(.ok)) }

        func response(to failure: RequestFailure, of head: RequestHead?, on connection: any RequestSource) -> Response {
            Response(failure.status)
        }
    }

    private static let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)

    private static func connect(_ address: SocketAddress) -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var waitTimeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &waitTimeout, socklen_t(MemoryLayout<timeval>.size))
        precondition(address.withSockaddr { Glibc.connect(client, $0, $1) } == 0, "no connection")
        return client
    }

    private static func send(_ client: Int32) { _ = Glibc.send(client, request, request.count, 0) }

    private static func receive(_ client: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Runs a test with a server and a client whose first request is answered, and stops the server after it.
    private static func withIdleConnection(
        _ loops: LoopImplementation, _ body: (HTTPServer, any EventLoop, Int32) async throws -> Void
    ) async throws {
        let group = try EventLoopGroup(count: 1, implementation: loops)
        let server = try HTTPServer(
            on: SocketAddress.listening(host: "127.0.0.1", port: 0), group, settings: HTTPServer.Settings(),
            handler: Answerer())
        let client = connect(server.address)
        defer { close(client) }
        send(client)
        #expect(receive(client).contains("200 OK"))
        try await body(server, group.loops[0], client)
        await server.stopListening()
        await group.stop()
    }

    /// The bytes arrive in the turn of the loop in which the connection closes, and before it does.
    @Test(arguments: LoopImplementation.allCases)
    func aRequestThatCameBeforeTheCloseIsAnswered(_ loops: LoopImplementation) async throws {
        try await Self.withIdleConnection(loops) { server, loop, client in
            // The request and the drain are in line before the loop runs either of them, so it reads nothing in between. If the
            // drain is late, the request is an ordinary one.
            let areInLine = DispatchSemaphore(value: 0)
            loop.execute { areInLine.wait() }
            loop.execute { Self.send(client) }
            async let drained: Void = server.drain(within: .seconds(60))
            for _ in 0..<10_000 { await Task.yield() }
            areInLine.signal()
            #expect(Self.receive(client).contains("200 OK"))
            await drained
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func aConnectionWithoutARequestIsClosed(_ loops: LoopImplementation) async throws {
        try await Self.withIdleConnection(loops) { server, _, client in
            await server.drain(within: .seconds(60))
            #expect(Self.receive(client).isEmpty)
        }
    }
}
