/// A connection just accepted: non-blocking, without Nagle's delay, and owned by whoever is told about it.
package struct AcceptedSocket: Sendable {
    package let descriptor: Int32
    /// The other end.
    package let peer: SocketAddress

    /// Closes it at once, if it was not given to a `Channel`.
    package func shut() {
        SystemSocket.shut(descriptor)
    }
}
