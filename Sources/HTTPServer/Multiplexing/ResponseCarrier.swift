package import HTTP

/// Brings the response of one request to its client, on a connection that has several requests at once. On its loop only.
package protocol ResponseCarrier: AnyObject {
    /// Whether so much waits on the connection that the output budget decides about more of it.
    var isFull: Bool { get }
    /// How many bytes of the response wait, because a client reads slowly.
    var pendingBytes: Int { get }
    func respond(_ response: Response, to head: RequestHead)
    /// Begins a response that is a stream.
    ///
    /// - Parameter response: has no body.
    func startStream(_ response: Response, to head: RequestHead)
    /// Sends a piece of the stream: a part of an array that other streams may get too.
    func send(_ array: [UInt8], _ range: Range<Int>)
    /// Sends a piece of the stream that has several parts.
    func send(_ parts: [[UInt8]])
    /// Ends the stream behind the pieces that were sent.
    func endStream()
    /// Ends the request without the rest of its response.
    func cancel()
}
