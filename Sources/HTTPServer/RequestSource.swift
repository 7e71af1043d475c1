package import HTTP
package import Platform
package import Sockets
package import Threads

/// Where requests come from and their responses go to: the connection of a client, or of something else that speaks for clients. On
/// its loop only.
package protocol RequestSource: AnyObject {
    var loop: any EventLoop { get }
    /// For code on other threads.
    var bound: LoopBound<any RequestSource> { get }
    /// The address of the client, or of the proxy that it uses.
    var peer: IPAddress { get }
    /// A number that the handler has given to a source that speaks for clients; 0 for a client.
    var origin: UInt16 { get }
    /// Names the current request in its response, in problems and in the log.
    var requestID: String { get }
    /// The object that the current request is about, as the handler says, for the log. It is released with the response.
    var subject: AnyObject? { get set }
    /// The verified credentials of the current request, as the handler says, for the log. They are released with the response.
    var credentials: AnyObject? { get set }
    /// When the current request was complete, or that of the stream in progress.
    var requestStartedAt: MonotonicInstant { get }

    /// Whether the request of this number still awaits its response.
    func isCurrent(_ number: Int) -> Bool
    /// Whether a response of this length may wait for the client.
    func hasRoom(for byteCount: Int) -> Bool
    func answer(_ response: Response)
    /// Calls `body` after `delay`, or at the end of a drain, unless a response is sent first.
    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void)
    /// Ends without a response.
    func disconnect()
    /// Makes the response to the current request, and is cancelled if the client leaves before it is there.
    var task: Task<Void, Never>? { get set }

    /// Whether an observer is notified when the current request ends.
    func notifiesAtEnd(_ observer: any RequestObserver) -> Bool
    /// Notifies an observer when the current request ends. Another one, for which this was called before, is notified now.
    func notifyAtEnd(_ observer: any RequestObserver)

    /// Makes the response a stream.
    func startStream(_ fields: [Response.Field], _ owner: any StreamHandler)
    /// Gives the bytes of the connection to `owner`; see ``Exchange/upgrade(to:_:usingReserve:owner:)``.
    func upgrade(
        to name: String, _ fields: [Response.Field], usingReserve: Bool, _ owner: any StreamHandler
    ) -> HTTPConnection?
    /// Sends a piece of the stream.
    ///
    /// - Parameters:
    ///   - chunk: the piece in the chunked coding.
    ///   - payload: where the piece is in the chunk.
    func send(chunk: [UInt8], payload: Range<Int>)
    /// Sends a piece of the stream that has several parts, without a copy.
    func send(parts: [[UInt8]])
    /// Sends what `body` sends at once.
    func collectWrites(_ body: () -> Void)
    func endStream()
    /// How many bytes wait for a client that reads slowly.
    var pendingBytes: Int { get }
    /// How many bytes were sent since the stream began.
    var streamedBytes: Int { get }
    /// Whether the server has closed the connection while bytes waited for the client.
    var isCut: Bool { get }
}

extension RequestSource {
    /// The start of this turn of the loop.
    package var now: MonotonicInstant { loop.now }
}

extension HTTPConnection: RequestSource {
    package var loop: any EventLoop { context.loop }

    package var bound: LoopBound<any RequestSource> { context.bound(self) }

    package var peer: IPAddress { address }

    package var origin: UInt16 { 0 }

    package var requestStartedAt: MonotonicInstant { requestStart }

    package func isCurrent(_ number: Int) -> Bool { machine.isCurrent(number) }

    package func disconnect() { closeNow() }

    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        onTimeout = body
        setDeadline(after: delay)
    }
}
