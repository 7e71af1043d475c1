import Glibc
import Sockets
import Testing
import Threads

@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
    @Test func socketsShareOnePort() throws {
        let sockets = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 3)
        defer { Self.close(sockets) }
        #expect(sockets[0].address.port != 0)
        #expect(Set(sockets.map(\.address.port)).count == 1)
    }

    /// Only loops of one process share a port: a second server fails, even if it would share.
    @Test(arguments: [1, 2])
    func failsOnAPortInUse(count: Int) throws {
        let sockets = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: count)
        defer { Self.close(sockets) }
        let address = sockets[0].address
        #expect(throws: SocketError.system(call: "cannot listen on \(address)", code: EADDRINUSE)) {
            try ListeningSocket.open(address, count: 2)
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func acceptedSocketsAreNonBlockingWithoutNaglesDelay(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let socket = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
            let events = Probe<(delay: Int32, flags: Int32)>()
            loop.execute {
                _ = try? Listener(socket, on: loop) { accepted in
                    var (value, length) = (Int32(0), socklen_t(4))
                    getsockopt(accepted.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length)
                    events.note((value, fcntl(accepted.descriptor, F_GETFL)))
                    accepted.close()
                }
            }
            let client = try TestClient(socket.address)
            let accepted = try #require(await events.next())
            #expect(accepted.delay == 1)
            #expect(accepted.flags & O_NONBLOCK != 0)
            #expect(try client.receiveToEnd() == [])
        }
    }

    /// At the limit, connections wait in the backlog until the listener tries again.
    @Test(arguments: LoopImplementation.allCases)
    func leavesConnectionsInTheBacklogAtTheCap(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let socket = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
            let events = Probe<Int>()
            loop.execute {
                var open = 0
                _ = try? Listener(socket, on: loop, mayAccept: { open < 2 }) { accepted in
                    open += 1
                    events.note(open)
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
            #expect(await events.next(6).allSatisfy { $0 <= 2 })
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func refusesConnectionsAfterClose(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            // A private address, so that no other test reuses the port after it is closed.
            let host = implementation == .preferred ? "127.0.7.1" : "127.0.7.2"
            let socket = try ListeningSocket.open(SocketAddress(host: host, port: 0), count: 1)[0]
            let listeners = Probe<LoopBound<Listener>>()
            loop.execute {
                guard let listener = try? Listener(socket, on: loop, accepted: { $0.close() }) else { return }
                listeners.note(LoopBound(listener, on: loop))
            }
            let listener = try #require(await listeners.next())
            #expect(try TestClient(socket.address).receiveToEnd() == [])
            await loop.run { listener.value.close() }
            #expect(await refusesEventually(socket.address, loop))
        }
    }

    /// A dispatch source closes its copy of the descriptor a few turns later, and a process that another test starts has one
    /// until its program runs.
    private func refusesEventually(_ address: SocketAddress, _ loop: any EventLoop) async -> Bool {
        while !Task.isCancelled {
            do {
                _ = try TestClient(address)
            } catch let refused as TestClient.Refused where refused.code == ECONNREFUSED {
                return true
            } catch {
                // Accepted and reset in between.
            }
            await loop.turns(1)
        }
        return false
    }

    private static func close(_ sockets: [ListeningSocket]) {
        for socket in sockets {
            socket.close()
        }
    }

    @Test func loopsShareTheConnections() async throws {
        let group = try EventLoopGroup(count: 2)
        let sockets = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 2)
        let events = Probe<Int>()
        for (index, loop) in group.loops.enumerated() {
            loop.execute {
                _ = try? Listener(sockets[index], on: loop) { accepted in
                    events.note(index)
                    accepted.close()
                }
            }
        }
        let clients = try (0..<200).map { _ in try TestClient(sockets[0].address) }
        #expect(Set(await events.next(clients.count)) == [0, 1])
        await group.stop()
    }
}
