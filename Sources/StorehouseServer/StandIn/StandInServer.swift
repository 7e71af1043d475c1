package import Sockets

/// A stand-in for the remote APIs that listens on a loopback port, on a loop of its own.
package final class StandInServer: Sendable {
    /// Where it is reached: `http://127.0.0.1:43121`.
    package let url: String
    private let group: EventLoopGroup
    private let http: HTTPServer

    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - maxDelay: an animal takes a random time from nothing to this.
    package init(port: Int = 0, maxDelay: Duration) throws(SocketError) {
        let address = try SocketAddress(host: "127.0.0.1", port: UInt16(clamping: port))
        group = try EventLoopGroup(count: 1)
        do throws(SocketError) {
            http = try HTTPServer(
                on: address, group, settings: HTTPServer.Settings(), handler: StandInUpstream(maxDelay: maxDelay))
        } catch {
            group.stop {}
            throw error
        }
        url = "http://\(http.address)"
    }

    /// Cuts what is left, and ends.
    package func stop() async { await group.stop() }
}
