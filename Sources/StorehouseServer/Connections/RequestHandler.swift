package import HTTP

/// Decides what a request means.
package protocol RequestHandler: AnyObject, Sendable {
    /// Answers a request, at once or later. Called on the connection's loop.
    func handle(_ request: Request, _ exchange: Exchange)

    /// The answer to what is no request.
    func response(to failure: RequestFailure) -> Response

    /// The answer to a request whose head or body did not come in time.
    var timeoutResponse: Response { get }
}

/// A request, whole.
package struct Request: Sendable {
    package let head: RequestHead
    package let body: [UInt8]
}
