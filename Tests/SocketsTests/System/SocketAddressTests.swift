import Sockets
import Testing

@Suite struct SocketAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1", 8080, "127.0.0.1:8080"), ("0.0.0.0", 0, "0.0.0.0:0"), ("::1", 443, "[::1]:443"),
            ("2001:db8::7", 65_535, "[2001:db8::7]:65535"),
        ] as [(String, UInt16, String)])
    func readsAndWritesText(host: String, port: UInt16, text: String) throws {
        let address = try SocketAddress(host: host, port: port)
        #expect(address.description == text)
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(arguments: ["", "256.1.1.1", "no host at all", "::1::"])
    func rejectsInvalidHosts(host: String) {
        #expect(throws: SocketError.self) { try SocketAddress(host: host, port: 1) }
    }

    @Test func changesThePort() throws {
        var address = try SocketAddress(host: "127.0.0.1", port: 0)
        address.port = 513
        #expect(address.description == "127.0.0.1:513")
    }
}
