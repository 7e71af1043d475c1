package import HTTP

/// A connection that has several requests at once, each with a number of its own. On its loop only.
package protocol RequestMultiplexer: AnyObject {
    /// The number that the handler has given to the other end, if it speaks for clients; 0 for a client.
    var origin: UInt16 { get }
    /// Whether so much waits that the output budget decides about more of it.
    var isFull: Bool { get }
    /// Whether the server drains.
    var isDraining: Bool { get }
    /// How many bytes of a response wait for the other end.
    func pendingBytes(_ number: UInt32) -> Int
    func respond(to request: MultiplexedRequest, _ response: Response)
    /// - Parameter response: has no body yet.
    func startBody(of request: MultiplexedRequest, _ response: Response)
    /// Sends a piece of a stream.
    ///
    /// - Returns: false if it waits for the other end, which has not taken earlier ones.
    func send(_ number: UInt32, _ array: [UInt8], _ range: Range<Int>) -> Bool
    /// Sends a piece of a stream that has several parts.
    func send(_ number: UInt32, _ parts: [[UInt8]]) -> Bool
    /// Ends a stream behind what was sent.
    func end(_ number: UInt32)
    /// Ends a request without the rest of its response.
    func cancel(_ number: UInt32)
}
