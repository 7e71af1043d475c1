import Glibc
import Sockets
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChannelTests {
    @Test(arguments: LoopImplementation.allCases)
    func echoes(_ implementation: LoopImplementation) async throws {
        try await TestServer.run(implementation, script: echo) { server in
            let client = try TestClient(server.address)
            for text in ["one", "two", "three"] {
                try client.send(text)
                #expect(try client.receiveText(text.utf8.count) == text)
            }
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func servesAThousandConnections(_ implementation: LoopImplementation) async throws {
        try await TestServer.run(implementation, script: echo) { server in
            let clients = try (0..<1000).map { _ in try TestClient(server.address) }
            for (number, client) in clients.enumerated() {
                try client.send(String(1000 + number))
            }
            for (number, client) in clients.enumerated() {
                #expect(try client.receiveText(4) == String(1000 + number))
            }
        }
    }

    /// The response arrives after the client has shut down its sending side.
    @Test(arguments: LoopImplementation.allCases)
    func answersAHalfClosedPeer(_ implementation: LoopImplementation) async throws {
        let events = Probe<String>()
        try await TestServer.run(implementation) { _, delegate in
            delegate.onReceived = { _, bytes in
                events.note("received")
                return bytes.count
            }
            delegate.onEndOfInput = { channel in
                events.note("end of input")
                channel.write(Array("answer".utf8))
                channel.closeAfterFlush()
            }
            delegate.onClosed = { events.note("closed \($0)") }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send("question")
            #expect(await events.next() == "received")
            client.finish()
            #expect(try client.receiveToEnd() == Array("answer".utf8))
            #expect(await events.next(2) == ["end of input", "closed requested"])
        }
        #expect(await events.remaining() == [])
    }

    @Test(arguments: LoopImplementation.allCases)
    func reportsAReset(_ implementation: LoopImplementation) async throws {
        let events = Probe<CloseReason>()
        try await TestServer.run(implementation) { _, delegate in
            delegate.onClosed = { events.note($0) }
        } _: { server in
            try TestClient(server.address).resetAtEnd()
            #expect(await events.next() == .reset)
        }
        #expect(await events.remaining() == [])
    }

    /// Writing to a reset connection raises no signal, and notifies the delegate once, later.
    @Test(arguments: LoopImplementation.allCases)
    func survivesWritingToAResetConnection(_ implementation: LoopImplementation) async throws {
        let events = Probe<String>()
        try await withLoop(implementation) { loop in
            let socket = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
            let client = try TestClient(socket.address)
            await loop.run {
                _ = try? Listener(socket, on: loop) { accepted in
                    client.reset()
                    let delegate = ScriptedDelegate()
                    delegate.onClosed = { events.note("closed \($0)") }
                    guard let channel = try? Channel(owning: accepted.descriptor, on: loop, delegate: delegate) else {
                        return
                    }
                    channel.write([1])
                    channel.write([2])
                    channel.closeNow()
                    events.note("written")
                }
            }
            #expect(await events.next() == "written")
            #expect(await events.next()?.hasPrefix("closed") == true)
        }
        #expect(await events.remaining() == [])
    }

    /// The delegate is never called from within a call to the channel.
    @Test(arguments: LoopImplementation.allCases)
    func reportsTheCloseAfterTheCallThatCausedIt(_ implementation: LoopImplementation) async throws {
        let events = Probe<String>()
        try await TestServer.run(implementation) { _, delegate in
            delegate.onReceived = { channel, bytes in
                channel.closeNow()
                channel.closeNow()
                channel.closeAfterFlush()
                channel.write([1])
                events.note("received \(channel.isOpen) \(channel.pendingBytes)")
                return 0
            }
            delegate.onClosed = { events.note("closed \($0)") }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send("x")
            #expect(await events.next(2) == ["received false 0", "closed requested"])
            #expect(try client.receiveToEnd() == [])
        }
        #expect(await events.remaining() == [])
    }

    @Test func rejectsAnInvalidDescriptor() async throws {
        try await withLoop(.preferred) { loop in
            #expect(await loop.run { (try? Channel(owning: -1, on: loop)) == nil })
        }
    }

    private var echo: @Sendable (Channel, ScriptedDelegate) -> Void {
        { _, delegate in
            delegate.onReceived = { channel, bytes in
                channel.write(Array(bytes))
                return bytes.count
            }
        }
    }
}
