package import HTTP
package import Platform
package import Sockets

/// Handles the requests of all connections.
package protocol RequestHandler: AnyObject, Sendable {
    /// The response to a request that is refused because of its head alone; nil to go on. Called on the connection's loop
    /// before the body is read.
    func refusal(of head: RequestHead, on connection: any RequestSource) -> Response?

    /// The response to bytes that are no request, and that are refused whatever is wrong with them; nil for ``response(to:on:)``.
    /// Called on the connection's loop.
    func refusal(of failure: RequestFailure, on connection: any RequestSource) -> Response?

    /// Answers a request, at once or later. Called on the connection's loop.
    func handle(_ request: consuming Request, _ exchange: consuming Exchange)

    /// The response to bytes that are no request, or to a request that does not arrive in time.
    ///
    /// - Parameter head: that of the request, if it has arrived and is well-formed.
    func response(to failure: RequestFailure, of head: RequestHead?, on connection: any RequestSource) -> Response

    /// A request will never be answered, because its connection has closed. Called on the connection's loop.
    ///
    /// - Parameter start: when the request was complete.
    func requestWasCut(_ head: RequestHead, on connection: any RequestSource, since start: MonotonicInstant)

    /// The server has closed a connection before its client had the response. Called on the connection's loop.
    ///
    /// - Parameter start: when the request was complete.
    func responseWasCut(to head: RequestHead, on connection: any RequestSource, since start: MonotonicInstant)

    /// The response to a request on a connection beyond the limit. Called on the connection's loop before the body is read, and the
    /// connection closes behind it. Nil answers the request as any other one, and the connection closes all the same.
    func limitRefusal(of head: RequestHead, on connection: any RequestSource) -> Response?

    /// Whether the request is answered even on a connection beyond the limit. Called on the connection's loop.
    func isProbe(_ head: RequestHead, on connection: any RequestSource) -> Bool

    /// A connection was beyond the limit. Called on any loop, a few times a second while clients wait.
    ///
    /// - Parameter closed: how many idle connections were closed to make room.
    func connectionLimitReached(closing closed: Int)
}

extension RequestHandler {
    package func refusal(of head: RequestHead, on connection: any RequestSource) -> Response? { nil }

    package func refusal(of failure: RequestFailure, on connection: any RequestSource) -> Response? { nil }

    package func requestWasCut(_ head: RequestHead, on connection: any RequestSource, since start: MonotonicInstant) {}

    package func responseWasCut(to head: RequestHead, on connection: any RequestSource, since start: MonotonicInstant) {
    }

    package func limitRefusal(of head: RequestHead, on connection: any RequestSource) -> Response? {
        Response(.serviceUnavailable)
    }

    package func isProbe(_ head: RequestHead, on connection: any RequestSource) -> Bool { false }

    package func connectionLimitReached(closing closed: Int) {}
}

/// Is notified of the end of requests.
package protocol RequestObserver: AnyObject {
    /// The request was answered, its stream has begun, or its connection is gone. Called on the connection's loop, inside the
    /// call that has ended the request: other work has to wait for a later turn.
    func requestEnded(on loop: any EventLoop)
}

/// A complete request.
package struct Request: Sendable {
    package let head: RequestHead
    package let body: [UInt8]

    package init(head: RequestHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}
