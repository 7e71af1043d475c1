import Glibc
import Sockets
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChannelClosingTests {
    /// The client is still sending when the server responds. No reset overtakes the response.
    @Test(arguments: LoopImplementation.allCases)
    func lingersUntilThePeerHasReadTheAnswer(_ implementation: LoopImplementation) async throws {
        let events = Probe<CloseReason>()
        try await TestServer.run(implementation) { _, delegate in
            delegate.onReceived = { channel, bytes in
                channel.write(Array("too large".utf8))
                channel.closeAfterFlush()
                return bytes.count
            }
            delegate.onClosed = { events.note($0) }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send([UInt8](repeating: 0, count: 3_000_000))
            #expect(try client.receiveToEnd() == Array("too large".utf8))
            client.finish()
            #expect(await events.next() == .requested)
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func lingerLimitsTime(_ implementation: LoopImplementation) async throws {
        let events = Probe<CloseReason>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onClosed = { events.note($0) }
            channel.closeAfterFlush(linger: Linger(time: .milliseconds(30)))
        } _: { server in
            let client = try TestClient(server.address)
            #expect(try client.receiveToEnd() == [])
            #expect(await events.next() == .requested)
        }
    }

    /// A peer that reads and does not close its side: the channel closes when the peer has everything.
    @Test(arguments: LoopImplementation.allCases)
    func lingerEndsWhenThePeerHasEverything(_ implementation: LoopImplementation) async throws {
        let events = Probe<CloseReason>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onClosed = { events.note($0) }
            channel.write(Array("last".utf8))
            channel.closeAfterFlush(linger: Linger(time: .seconds(3600), endsWhenTaken: true))
        } _: { server in
            let client = try TestClient(server.address)
            #expect(await events.next() == .requested)
            #expect(try client.receiveToEnd() == Array("last".utf8))
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func lingerLimitsDiscardedBytes(_ implementation: LoopImplementation) async throws {
        let events = Probe<CloseReason>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onClosed = { events.note($0) }
            channel.closeAfterFlush(linger: Linger(bytes: 1000, time: .seconds(3600)))
        } _: { server in
            let client = try TestClient(server.address)
            try client.send([UInt8](repeating: 0, count: 1000))
            #expect(await events.next() == .requested)
        }
    }

    /// Everything pending still leaves, to a reader that begins late; nothing is reported in between.
    @Test(arguments: LoopImplementation.allCases)
    func flushesBeforeItCloses(_ implementation: LoopImplementation) async throws {
        let events = Probe<String>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onReceived = { _, _ in
                events.note("received")
                return 0
            }
            delegate.onEndOfInput = { _ in events.note("end of input") }
            delegate.onClosed = { events.note("closed \($0)") }
            channel.write([UInt8](repeating: 7, count: 8_000_000))
            channel.closeAfterFlush(linger: Linger(time: .seconds(3600)))
            channel.write([UInt8](repeating: 8, count: 1000))
            events.note("pending \(channel.pendingBytes > 0)")
        } _: { server in
            let client = try TestClient(server.address, receiveBuffer: 8192)
            #expect(await events.next() == "pending true")
            try client.send("ignored")
            client.finish()
            #expect(try client.receiveToEnd() == [UInt8](repeating: 7, count: 8_000_000))
            #expect(await events.next() == "closed requested")
        }
        #expect(await events.remaining() == [])
    }

    @Test(arguments: LoopImplementation.allCases)
    func closeNowDiscardsPendingOutput(_ implementation: LoopImplementation) async throws {
        let events = Probe<CloseReason>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onClosed = { events.note($0) }
            channel.write([UInt8](repeating: 7, count: 20_000_000))
            channel.closeAfterFlush()
            channel.closeNow()
        } _: { server in
            let client = try TestClient(server.address)
            #expect(await events.next() == .requested)
            #expect(try client.receiveToEnd().count < 20_000_000)
        }
    }

    /// The peer resets the connection while the closing channel still sends.
    @Test(arguments: LoopImplementation.allCases)
    func endsWhenThePeerResetsAFlush(_ implementation: LoopImplementation) async throws {
        let events = Probe<CloseReason>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onClosed = { events.note($0) }
            channel.write([UInt8](repeating: 7, count: 20_000_000))
            channel.closeAfterFlush()
        } _: { server in
            try TestClient(server.address).resetAtEnd()
            #expect(await events.next() == .reset)
        }
    }

    /// A closed channel releases its delegate, and the loop releases the channel.
    @Test(arguments: LoopImplementation.allCases)
    func isReleasedOnceClosed(_ implementation: LoopImplementation) async throws {
        let events = Probe<String>()
        try await TestServer.run(implementation) { channel, delegate in
            let witness = Witness { events.note("released") }
            // A reference cycle, like that of a connection and its channel.
            delegate.onReceived = { _, bytes in
                witness.holds()
                return channel.isOpen ? bytes.count : 0
            }
            delegate.onEndOfInput = { $0.closeNow() }
            delegate.onClosed = { [unowned delegate] _ in
                events.note("closed")
                delegate.onReceived = { $1.count }
            }
        } _: { server in
            try TestClient(server.address).finish()
            #expect(await events.next(2) == ["closed", "released"])
        }
    }
}
