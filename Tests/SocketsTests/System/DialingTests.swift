import Platform
import Sockets
import Testing

@Suite struct DialingTests {
    /// The system may know several addresses of a name, and the other end listens at one of them.
    @Test(arguments: ["127.0.0.1", "::1"])
    func triesEveryAddressOfAName(host: String) throws {
        let socket = try ListeningSocket.open(SocketAddress(host: host, port: 0), count: 1)[0]
        defer { socket.close() }
        for name in [host, "localhost"] {
            guard name == host || hasAddress(host, name) else { continue }
            Dialing.close(try Dialing.connect(host: name, port: socket.address.port, within: .seconds(60)))
        }
    }

    @Test func aPortWithoutAListenerIsRefused() throws {
        #expect(throws: SocketError.system(call: "connect", code: ECONNREFUSED)) {
            try Dialing.connect(host: "127.0.0.1", port: 1, within: .seconds(60))
        }
        #expect(throws: SocketError.system(call: "connect", code: ENOENT)) {
            try Dialing.connect(path: #require(UnixSocketPath("/nowhere/socket")), within: .seconds(60))
        }
    }

    private func hasAddress(_ host: String, _ name: String) -> Bool {
        ((try? SocketAddress.all(host: name, port: 1)) ?? []).contains { $0.host == host }
    }
}
