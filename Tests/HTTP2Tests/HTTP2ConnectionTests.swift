import HTTP
import HTTP2
import HTTPServer
import Locks
import Platform
import Sockets
import Testing

/// Connections of HTTP/2 with a server in this process. script/http2-test has the cases of the program.
@Suite(.timeLimit(.minutes(5))) struct HTTP2ConnectionTests {
    /// Sends two pieces, then says goodbye when the server drains.
    private final class Pieces: StreamHandler {
        var source: (any RequestSource)?
        private let closed: @Sendable () -> Void

        init(closed: @escaping @Sendable () -> Void) { self.closed = closed }

        func start() {
            source?.send(parts: [Array("a".utf8), Array("b".utf8)])
            source?.send(chunk: Array("3\r\ncde\r\n".utf8), payload: 3..<6)
        }

        func streamDrained() {}

        func streamClosed() {
            source = nil
            closed()
        }

        func streamShouldEnd(among streamCount: Int) {
            source?.send(parts: [Array("bye".utf8)])
            source?.endStream()
            source = nil
        }
    }

    /// Sends bytes of which some have to wait, and the rest when they have left.
    private final class Parts: StreamHandler {
        /// As many bytes as a connection takes at once.
        static let full = [UInt8](repeating: UInt8(ascii: "x"), count: 65536)
        var source: (any RequestSource)?
        private let rest: [[UInt8]]

        init(_ rest: [[UInt8]]) { self.rest = rest }

        func streamDrained() {
            source?.send(parts: rest)
            source?.endStream()
            source = nil
        }

        func streamClosed() { source = nil }

        func streamShouldEnd(among streamCount: Int) {}
    }

    private final class Handler: RequestHandler {
        private let waiting = Locked([DeferredExchange]())
        private let ended = Locked([String]())

        /// The requests and streams that have ended without all of their response.
        var cut: [String] { ended.withLock(\.self) }

        func handle(_ request: consuming Request, _ exchange: consuming Exchange) {
            let target = request.head.target
            switch target {
            case "/later":
                let deferred = exchange.deferred
                return waiting.withLock { $0.append(deferred) }
            case "/release":
                for other in waiting.withLock({ $0 }) { other.here?.answer(Response(.ok, body: Array("late".utf8))) }
            case "/stream":
                let pieces = Pieces { [ended] in ended.withLock { $0.append("stream") } }
                pieces.source = exchange.startStream(fields: [], owner: pieces)
                return pieces.start()
            case "/parts", "/part":
                let parts = Parts(target == "/parts" ? [Array("end".utf8)] : [])
                parts.source = exchange.startStream(fields: [], owner: parts)
                parts.source?.send(parts: [target == "/parts" ? Parts.full : Array("abcde".utf8)])
                return
            default: break
            }
            exchange.answer(Response(.ok, body: Array("\(request.head.method) \(target) ".utf8) + request.body))
        }

        func response(to failure: RequestFailure, of head: RequestHead?, on connection: any RequestSource) -> Response {
            Response(failure.status)
        }

        func requestWasCut(_ head: RequestHead, on connection: any RequestSource, since start: MonotonicInstant) {
            ended.withLock { $0.append(head.target) }
        }
    }

    private func run(
        accepting accepts: @escaping @Sendable (IPAddress) -> Bool = { _ in true }, handler: Handler = Handler(),
        bodyTimeout: Duration = .seconds(30), limit: ConnectionLimit = ConnectionLimit(),
        _ body: (HTTPServer) async throws -> Void
    ) async throws {
        let group = try EventLoopGroup(count: 1)
        var settings = HTTPServer.Settings()
        settings.http2 = HTTP2Protocol.start(accepting: accepts)
        settings.bodyTime = BodyTime(timeout: bodyTimeout)
        settings.connectionLimit = limit
        let server = try HTTPServer(
            on: SocketAddress.listening(host: "127.0.0.1", port: 0), group, settings: settings, handler: handler)
        try await body(server)
        await server.drain(within: .milliseconds(200))
        await server.stopListening()
        await group.stop()
    }

    @Test func theLibraryIsThere() { #expect(HTTP2Protocol.problem == nil) }

    @Test func aRequestIsThatOfHTTP1() async throws {
        try await run { server in
            let client = FrameClient(server.address)
            client.begin()
            client.request(1, "/a?b=c")
            #expect(client.response(1) == "GET /a?b=c ")
            client.request(3, "/", method: "POST", ends: false)
            client.send(Frame(.data, of: 3, Array("12".utf8)), Frame(.data, of: 3, flags: 1, Array("34".utf8)))
            #expect(client.response(3) == "POST / 1234")
            client.request(5, "/", method: "HEAD")
            #expect(client.response(5) == "")
        }
    }

    @Test func noRequestWaitsForAnother() async throws {
        try await run { server in
            let client = FrameClient(server.address)
            client.begin()
            client.request(1, "/later")
            client.request(3, "/now")
            #expect(client.response(3) == "GET /now ")
            client.request(5, "/release")
            #expect(client.responses(2) == [1: "late", 5: "GET /release "])
        }
    }

    @Test func aClientThatMayNotIsAnsweredInHTTP1() async throws {
        let isElsewhere: @Sendable (IPAddress) -> Bool = { !$0.isLoopback }
        try await run(accepting: isElsewhere) { server in
            let client = FrameClient(server.address)
            client.send(FrameClient.preface)
            // `HTTP/1.1 505 …` is no frame.
            #expect(client.next(.settings) == nil)
        }
    }

    @Test func aConnectionBeyondTheLimitWaitsForRoom() async throws {
        try await run(limit: ConnectionLimit(1, provisional: 8)) { server in
            let waiting: FrameClient
            do {
                let first = FrameClient(server.address)
                first.begin()
                first.request(1, "/stream")
                #expect(first.next(.headers) != nil)
                waiting = FrameClient(server.address)
                waiting.begin()
                waiting.request(1, "/a")
            }
            #expect(waiting.response(1) == "GET /a ")
        }
    }

    @Test func aServerWithAReserveClosesAConnectionBeyondTheLimit() async throws {
        try await run(limit: ConnectionLimit(1, reserve: 1, provisional: 8)) { server in
            let first = FrameClient(server.address)
            first.begin()
            first.request(1, "/a")
            #expect(first.response(1) == "GET /a ")
            let other = FrameClient(server.address)
            other.begin()
            #expect(other.next(.settings, .data, .headers) == nil)
            first.request(3, "/b")
            #expect(first.response(3) == "GET /b ")
        }
    }

    @Test func theWindowOfTheClientHoldsTheRestBack() async throws {
        try await run { server in
            let client = FrameClient(server.address)
            client.begin(window: 4)
            client.request(1, "/0123456789")
            #expect(client.next(.data)?.text == "GET ")
            client.request(3, "/x")
            #expect(client.next(.data)?.text == "GET ")
            client.send(Frame(.windowUpdate, of: 1, UInt32(100).bigEndianBytes))
            #expect(client.next(.data) == Frame(.data, of: 1, flags: 1, Array("/0123456789 ".utf8)))
        }
    }

    @Test func aFullConnectionAsksForTheRestLater() async throws {
        try await run { server in
            let client = FrameClient(server.address)
            client.begin(window: 1 << 20)
            client.send(Frame(.windowUpdate, UInt32(1 << 20).bigEndianBytes))
            client.request(1, "/parts")
            let body = client.response(1)
            #expect(body == String(decoding: Parts.full, as: UTF8.self) + "end")
        }
    }

    /// The bytes use up the window, so the end is a frame of its own, which waits too. The body of the request is complete by its
    /// length, but the request has no end.
    @Test func aStreamThatEndsBeforeItsRequestTellsTheClientToSendNoMore() async throws {
        try await run { server in
            let client = FrameClient(server.address)
            client.begin(window: 4)
            client.send(Frame(headOf: 1, "/part", length: 0, ends: false))
            #expect(client.next(.data)?.text == "abcd")
            let oneMore = Frame(.windowUpdate, of: 1, UInt32(1).bigEndianBytes)
            client.send(oneMore)
            #expect(client.next(.data)?.text == "e")
            client.send(oneMore)
            #expect(client.next(.data, .reset) == Frame(.data, of: 1, flags: 1, []))
            #expect(client.next(.data, .reset) == Frame(.reset, of: 1, UInt32(0).bigEndianBytes))
        }
    }

    @Test func aRequestIsRefusedWhoseBodyIsLate() async throws {
        try await run(bodyTimeout: .milliseconds(50)) { server in
            let client = FrameClient(server.address)
            client.begin()
            // By one call, so that the first request has its whole body when it begins.
            client.send(
                Frame(headOf: 1, "/later", method: "POST", ends: false), Frame(.data, of: 1, flags: 1, [1]),
                Frame(headOf: 3, "/", method: "POST", ends: false),
                Frame(headOf: 5, "/", method: "POST", length: 2, ends: false), Frame(.data, of: 5, [1]))
            var frames: [Frame] = []
            while frames.count < 4, let frame = client.next(.headers, .reset) { frames.append(frame) }
            let (heads, resets) = (frames.filter { $0.kind == .headers }, frames.filter { $0.kind == .reset })
            // `:status`, entry 8 of the static table, with a value of three bytes. The other head refers to the first.
            #expect(heads.first?.payload.starts(with: [0x48, 3] + Array("408".utf8)) == true)
            #expect(heads.map(\.stream).sorted() == [3, 5] && resets.map(\.stream).sorted() == [3, 5])
            #expect(resets.allSatisfy { $0.payload == [0, 0, 0, 0] })
            // It began before those that were late.
            client.request(7, "/release")
            #expect(client.responses(2) == [1: "late", 7: "GET /release "])
        }
    }

    @Test func aStreamEndsWithTheDrain() async throws {
        let handler = Handler()
        try await run(handler: handler) { server in
            let client = FrameClient(server.address)
            client.begin()
            client.request(1, "/stream")
            #expect(client.next(.headers)?.payload.first == 0x88)
            #expect(client.next(.data)?.text == "abcde")
            await server.drain(within: .seconds(10))
            #expect(client.next(.goAway) != nil)
            #expect(client.next(.data)?.text == "bye")
            #expect(client.next(.goAway, .reset) == nil)
        }
        #expect(handler.cut == [])
    }

    @Test func aResetEndsOneRequestAlone() async throws {
        let handler = Handler()
        try await run(handler: handler) { server in
            let client = FrameClient(server.address)
            client.begin()
            client.request(1, "/later")
            client.request(3, "/stream")
            #expect(client.next(.data)?.text == "abcde")
            let cancel = UInt32(8).bigEndianBytes
            client.send(Frame(.reset, of: 1, cancel), Frame(.reset, of: 3, cancel))
            client.request(5, "/release")
            #expect(client.response(5) == "GET /release ")
            #expect(handler.cut == ["/later", "stream"])
        }
    }

    @Test func aClientThatIsGoneCutsItsRequests() async throws {
        let handler = Handler()
        try await run(handler: handler) { server in
            let client = FrameClient(server.address)
            client.begin()
            client.request(1, "/later")
            client.request(3, "/stream")
            #expect(client.next(.data)?.text == "abcde")
            _ = consume client
            while handler.cut.count < 2 { await Task.yield() }
            #expect(handler.cut.sorted() == ["/later", "stream"])
        }
    }

    /// Frames of any kind, most of them wrong. The address sanitizer sees what the server makes of them.
    @Test func randomFramesHarmNobody() async throws {
        try await run { server in
            for seed in 1...300 {
                var random = RandomFrames(seed: UInt64(seed))
                let client = FrameClient(server.address)
                client.begin()
                for _ in 0..<20 { client.send(random.next()) }
                client.send(Frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8]), Frame(.goAway, [UInt8](repeating: 0, count: 8)))
                // The answer to the ping, or the end.
                _ = client.next(.ping)
            }
            let client = FrameClient(server.address)
            client.begin()
            client.request(1, "/")
            #expect(client.response(1) == "GET / ")
        }
    }

    private struct RandomFrames {
        private var state: UInt64

        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

        /// xorshift64: https://doi.org/10.18637/jss.v008.i14
        private mutating func number(below bound: UInt64) -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state % bound
        }

        mutating func next() -> Frame {
            let kinds: [Frame.Kind] = [
                .headers, .headers, .data, .data, .priority, .reset, .settings, .ping, .windowUpdate, .continuation,
            ]
            let kind = kinds[Int(number(below: UInt64(kinds.count)))]
            let stream = UInt32(number(below: 8))
            if kind == .headers, number(below: 4) > 0 {
                // `GET /`, by the static table.
                let block: [UInt8] = [0x82, 0x86, 0x84, 0x01, 0x01, 0x61]
                return Frame(.headers, of: stream | 1, flags: [4, 5][Int(number(below: 2))], block)
            }
            let length = [0, 4, 5, 6, 8, 40][Int(number(below: 6))]
            let payload = (0..<length).map { _ in UInt8(truncatingIfNeeded: number(below: 256)) }
            return Frame(kind, of: stream, flags: [0, 1, 4, 5, 8, 0x20][Int(number(below: 6))], payload)
        }
    }
}
