import HTTP
import HTTPServer
import Locks
import Platform
import Sessions
import Sockets
import StorehouseServer
import Testing
import Threads

/// A source of one request. It does not wait for the time that the request is to be answered at, but remembers it. On its loop only.
final class PlayedSource: RequestSource {
    struct Answer: Sendable {
        let response: Response
        /// The time that was set for it, in nanoseconds after the request; nil if it was to leave at once.
        let leavesAt: Int?
    }

    let loop: any EventLoop
    let peer: IPAddress
    let origin: UInt16
    let requestID = "played"
    var subject: AnyObject?
    var credentials: AnyObject?
    let requestStartedAt: MonotonicInstant
    var task: Task<Void, Never>?
    private var leavesAt: Int?
    private var answered: ((Answer) -> Void)?

    private init(_ loop: any EventLoop, _ peer: IPAddress, _ origin: UInt16, _ answered: @escaping (Answer) -> Void) {
        (self.loop, self.peer, self.origin, self.answered) = (loop, peer, origin, answered)
        requestStartedAt = loop.now
    }

    /// Has a router answer a request.
    ///
    /// - Parameter origin: that of another node; 0 for a client.
    static func answer(
        to request: TestRequest, from router: Router, on loop: any EventLoop, origin: UInt16 = 0
    ) async throws -> Answer {
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head(let head, _) = request.bytes.withUnsafeBytes({ parser.parse($0) }) else {
            throw Wire.Failure.malformed("no request")
        }
        let peer = try #require(IPAddress("127.0.0.1"))
        return await Promise.value { done in
            loop.execute {
                let source = PlayedSource(loop, peer, origin, done)
                router.handle(Request(head: head, body: request.body ?? []), Exchange(connection: source, number: 0))
            }
        }
    }

    var bound: LoopBound<any RequestSource> { LoopBound(self as any RequestSource, on: loop) }

    func isCurrent(_ number: Int) -> Bool { answered != nil }

    func hasRoom(for byteCount: Int) -> Bool { true }

    func answer(_ response: Response) { answered.take()?(Answer(response: response, leavesAt: leavesAt)) }

    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        leavesAt = requestStartedAt.nanoseconds(to: now) + Int(delay.wholeNanoseconds)
        body()
    }

    func disconnect() { Issue.record("the request is not answered") }

    func notifiesAtEnd(_ observer: any RequestObserver) -> Bool { false }

    func notifyAtEnd(_ observer: any RequestObserver) {}

    func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) { Issue.record("no stream is asked for") }

    func upgrade(
        to name: String, _ fields: [Response.Field], usingReserve: Bool, _ owner: any StreamHandler
    ) -> HTTPConnection? { nil }

    func send(chunk: [UInt8], payload: Range<Int>) {}

    func send(parts: [[UInt8]]) {}

    func collectWrites(_ body: () -> Void) { body() }

    func endStream() {}

    var pendingBytes: Int { 0 }

    var streamedBytes: Int { 0 }

    var isCut: Bool { false }
}
