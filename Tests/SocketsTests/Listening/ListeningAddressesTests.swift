import Glibc
import Sockets
import Testing
import Threads

/// Listening on a host that has several addresses.
@Suite(.timeLimit(.minutes(5))) struct ListeningAddressesTests {
    private static func close(_ sockets: [[ListeningSocket]]) {
        for socket in sockets.joined() { socket.close() }
    }

    private static var hasIPv6: Bool {
        guard let address = try? SocketAddress(host: "::1", port: 0),
            let sockets = try? ListeningSocket.open(address, count: 1)
        else { return false }
        for socket in sockets { socket.close() }
        return true
    }

    @Test(arguments: ["localhost", "LOCALHOST", "localhost."])
    func localhostHasBothLoopbackAddressesAndIPv4ComesFirst(_ name: String) throws {
        let addresses = try SocketAddress.listening(host: name, port: 80)
        #expect(addresses.map(\.description) == ["127.0.0.1:80", "[::1]:80"])
    }

    @Test(arguments: [("127.0.0.1", "127.0.0.1:80"), ("::1", "[::1]:80"), ("0.0.0.0", "0.0.0.0:80")])
    func anAddressIsItself(_ host: String, _ address: String) throws {
        #expect(try SocketAddress.listening(host: host, port: 80).map(\.description) == [address])
    }

    @Test func aNameWithoutAnAddressIsAnError() {
        #expect(throws: SocketError.self) { try SocketAddress.listening(host: "no.such.host.invalid", port: 80) }
    }

    @Test(arguments: [1, 3])
    func allAddressesHaveOnePortAndASocketForEachLoop(_ loops: Int) throws {
        let addresses = try SocketAddress.listening(host: "localhost", port: 0)
        let sockets = try ListeningSocket.open(all: addresses, count: loops)
        defer { Self.close(sockets) }
        #expect(sockets.count == (Self.hasIPv6 ? 2 : 1))
        #expect(sockets.allSatisfy { $0.count == loops })
        #expect(Set(sockets.joined().map(\.address.port)).count == 1)
        for socket in sockets { _ = try TestClient(socket[0].address) }
    }

    /// The system gives a port that is free on the first address, and that another process has on the second one.
    @Test func anotherFreePortIsTakenIfOneAddressHasItInUse() throws {
        // Half of the ports are in use at the second address, so at least one of some attempts meets one of them.
        let (first, second) = ("127.0.9.1", "127.0.9.2")
        var taken: [ListeningSocket] = []
        defer { for socket in taken { socket.close() } }
        for _ in 0..<500 {
            taken += try ListeningSocket.open(SocketAddress(host: second, port: 0), count: 1)
        }
        let addresses = try [first, second].map { try SocketAddress(host: $0, port: 0) }
        for _ in 0..<50 {
            let sockets = try ListeningSocket.open(all: addresses, count: 1)
            #expect(Set(sockets.joined().map(\.address.port)).count == 1)
            Self.close(sockets)
        }
    }

    @Test func aPortThatIsTakenOnOneAddressIsAnError() throws {
        let (first, second) = ("127.0.9.3", "127.0.9.4")
        let taken = try ListeningSocket.open(SocketAddress(host: second, port: 0), count: 1)[0]
        defer { taken.close() }
        let addresses = try [first, second].map { try SocketAddress(host: $0, port: taken.address.port) }
        #expect(throws: SocketError.system(call: "cannot listen on \(taken.address)", code: EADDRINUSE)) {
            try ListeningSocket.open(all: addresses, count: 1)
        }
        // Nothing stays open of the first address.
        try ListeningSocket.open(addresses[0], count: 1)[0].close()
    }

    @Test func anAddressOfAnotherMachineIsLeftOut() throws {
        // Of a network for documentation, which no machine is in.
        let elsewhere = try SocketAddress(host: "192.0.2.1", port: 0)
        let here = try SocketAddress(host: "127.0.0.1", port: 0)
        let sockets = try ListeningSocket.open(all: [elsewhere, here], count: 1)
        defer { Self.close(sockets) }
        #expect(sockets.joined().map(\.address.host) == ["127.0.0.1"])
        #expect(throws: SocketError.system(call: "cannot listen on 192.0.2.1:0", code: EADDRNOTAVAIL)) {
            try ListeningSocket.open(all: [elsewhere], count: 1)
        }
    }

    /// A peer that is gone neither acknowledges nor refuses anything.
    @Test(arguments: LoopImplementation.allCases)
    func aConnectionEndsWhoseBytesNobodyAcknowledges(_ implementation: LoopImplementation) async throws {
        let addresses = [try SocketAddress(host: "127.0.0.1", port: 0)]
        let socket = try ListeningSocket.open(all: addresses, count: 1, unacknowledgedTime: .seconds(1))[0][0]
        try await withLoop(implementation) { loop in
            let channels = Probe<LoopBound<Channel>>()
            let ends = Probe<CloseReason>()
            loop.execute {
                _ = try? Listener(socket, on: loop) { accepted in
                    let delegate = ScriptedDelegate()
                    delegate.onClosed = { ends.note($0) }
                    let channel = try? Channel(owning: accepted.descriptor, on: loop, delegate: delegate)
                    if let channel { channels.note(LoopBound(channel, on: loop)) }
                }
            }
            let client = try TestClient(socket.address)
            let channel = try #require(await channels.next())
            client.loseNetwork()
            await loop.run { channel.value.write([1]) }
            #expect(await ends.next() == .failed(code: ETIMEDOUT))
            withExtendedLifetime(client) {}
        }
    }
}
