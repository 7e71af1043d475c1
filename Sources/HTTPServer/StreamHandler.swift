package import Platform

/// Takes over a connection once its response is a stream. All calls come on the connection's loop.
package protocol StreamHandler: AnyObject {
    /// All bytes that were sent have left.
    func streamDrained()
    /// The client has sent something while it gets the stream.
    func streamReceived(_ bytes: UnsafeRawBufferPointer)
    /// The client has disconnected, or the server closed the connection.
    func streamClosed()
    /// The clients of another server that it is for; nil if its own one is all.
    var clients: [any StreamClient]? { get }
    /// For how long it has served nobody, if it serves several clients; nil otherwise.
    var idleTime: Duration? { get }
    /// Ends, because others need its place.
    func closeIdle()
    /// How many bytes it holds of requests that have not arrived completely, and since when.
    var unfinishedInput: (byteCount: Int, since: MonotonicInstant)? { get }
    /// Refuses those requests.
    func cutInput()
    /// The server begins to drain. The streams end later, batch by batch.
    func drainBegins()
    /// The server drains: announce it to the client and end the stream.
    ///
    /// - Parameter streamCount: how many streams end.
    func streamShouldEnd(among streamCount: Int)
    /// The server drains, and cannot wait any longer for what is in progress.
    func streamMustAnswer()
}

extension StreamHandler {
    /// Such bytes mean nothing.
    package func streamReceived(_ bytes: UnsafeRawBufferPointer) {}

    package var clients: [any StreamClient]? { nil }

    package var idleTime: Duration? { nil }

    package func closeIdle() {}

    package var unfinishedInput: (byteCount: Int, since: MonotonicInstant)? { nil }

    package func cutInput() {}

    package func drainBegins() {}

    /// A stream of events answers nothing.
    package func streamMustAnswer() {}
}

/// A client that gets a stream: it has a connection of its own, or shares that of another server with others. On its loop only.
package protocol StreamClient: AnyObject {
    /// How many bytes of memory the bytes hold that wait for it.
    var heldBytes: Int { get }
    /// For how long it has taken none of them.
    var stalledTime: Duration { get }
    /// Ends without a word.
    func disconnect()
    /// The server drains: announce it to the client and end its stream.
    ///
    /// - Parameter streamCount: how many streams end.
    func streamShouldEnd(among streamCount: Int)
}
