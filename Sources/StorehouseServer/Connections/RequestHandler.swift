package import HTTP

/// Decides what a request means.
package protocol RequestHandler: AnyObject, Sendable {
    /// Answers a request, at once or later. Called on the connection's loop.
    func handle(_ request: Request, _ exchange: Exchange)

    /// The answer to what is no request, or does not come in time.
    func response(to failure: RequestFailure) -> Response
}

/// A request, whole.
package struct Request: Sendable {
    package let head: RequestHead
    package let body: [UInt8]
}
