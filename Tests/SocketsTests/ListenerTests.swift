import Glibc
import Sockets
import Testing

@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
    @Test func socketsShareOnePort() throws {
        let sockets = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 3)
        defer { Self.shut(sockets) }
        #expect(sockets[0].address.port != 0)
        #expect(Set(sockets.map(\.address.port)).count == 1)
    }

    /// Sharing is for our own loops: a second server on the port is refused, also if it would share.
    @Test(arguments: [1, 2])
    func aPortInUseIsRefused(count: Int) throws {
        let sockets = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: count)
        defer { Self.shut(sockets) }
        let address = sockets[0].address
        #expect(throws: SocketError.system(call: "cannot listen on \(address)", code: EADDRINUSE)) {
            try ListeningSocket.open(address, count: 2)
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func acceptsWithoutNaglesDelayAndKnowsThePeer(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let socket = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
            let told = Probe<(delay: Int32, flags: Int32, peer: SocketAddress)>()
            loop.execute {
                _ = try? Listener(socket, on: loop) { accepted in
                    var (value, length) = (Int32(0), socklen_t(4))
                    getsockopt(accepted.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length)
                    told.note((value, fcntl(accepted.descriptor, F_GETFL), accepted.peer))
                    accepted.shut()
                }
            }
            let client = try TestClient(socket.address)
            let accepted = try #require(await told.next())
            #expect(accepted.delay == 1)
            #expect(accepted.flags & O_NONBLOCK != 0)
            #expect(accepted.peer.host == "127.0.0.1")
            #expect(accepted.peer.port == client.port)
            #expect(try client.receiveToEnd() == [])
        }
    }

    /// At the cap, connections wait in the backlog; they are served as others leave, also without a word to the
    /// listener.
    @Test(arguments: LoopImplementation.allCases)
    func leavesConnectionsInTheBacklogAtTheCap(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let socket = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
            let told = Probe<Int>()
            loop.execute {
                var open = 0
                _ = try? Listener(socket, on: loop, mayAccept: { open < 2 }) { accepted in
                    open += 1
                    told.note(open)
                    let delegate = ScriptedDelegate()
                    delegate.onEndOfInput = { $0.closeNow() }
                    delegate.onClosed = { _ in open -= 1 }
                    let channel = try? Channel(owning: accepted.descriptor, on: loop, delegate: delegate)
                    channel?.write([1])
                }
            }
            let clients = try (0..<6).map { _ in try TestClient(socket.address) }
            for client in clients {
                #expect(try client.receive(exactly: 1) == [1])
                client.finish()
                #expect(try client.receiveToEnd() == [])
            }
            #expect(await told.next(6).allSatisfy { $0 <= 2 })
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func pausesAndResumes(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            // An address of its own: a port that is given back on it goes to no other test.
            let host = implementation == .preferred ? "127.0.7.1" : "127.0.7.2"
            let socket = try ListeningSocket.open(SocketAddress(host: host, port: 0), count: 1)[0]
            let told = Probe<String>()
            let listeners = Probe<LoopBound<Listener>>()
            loop.execute {
                let listener = try? Listener(socket, on: loop) { accepted in
                    told.note("accepted")
                    accepted.shut()
                }
                guard let listener else { return }
                listener.pause()
                listeners.note(LoopBound(listener, on: loop))
            }
            let listener = try #require(await listeners.next())
            let client = try TestClient(socket.address)
            await loop.turns(3)
            await loop.run {
                told.note("resumed")
                listener.value.resume()
            }
            #expect(await told.next(2) == ["resumed", "accepted"])
            #expect(try client.receiveToEnd() == [])
            await loop.run { listener.value.shut() }
            #expect(await isRefusedInTheEnd(socket.address, loop))
        }
    }

    /// Whether connections are refused at last: a dispatch source closes its copy of the descriptor a few turns later.
    private func isRefusedInTheEnd(_ address: SocketAddress, _ loop: any EventLoop) async -> Bool {
        for _ in 0..<10_000 {
            do {
                _ = try TestClient(address)
            } catch let refused as TestClient.Refused where refused.code == ECONNREFUSED {
                return true
            } catch {
                // It was taken and reset in between.
            }
            await loop.turns(1)
        }
        return false
    }

    private static func shut(_ sockets: [ListeningSocket]) {
        for socket in sockets {
            socket.shut()
        }
    }

    @Test func loopsShareTheConnections() async throws {
        let group = try EventLoopGroup(count: 2)
        let sockets = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 2)
        let told = Probe<Int>()
        for (index, loop) in group.loops.enumerated() {
            loop.execute {
                _ = try? Listener(sockets[index], on: loop) { accepted in
                    told.note(index)
                    accepted.shut()
                }
            }
        }
        let clients = try (0..<200).map { _ in try TestClient(sockets[0].address) }
        #expect(Set(await told.next(clients.count)) == [0, 1])
        await group.stop()
    }
}
