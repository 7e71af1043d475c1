import Glibc
import Sockets
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChannelClosingTests {
    /// The client is still sending when it is refused, and can read why: no reset overtakes the answer.
    @Test(arguments: LoopImplementation.allCases)
    func lingersUntilThePeerHasReadTheAnswer(_ implementation: LoopImplementation) async throws {
        let told = Probe<CloseReason>()
        try await TestServer.run(implementation) { _, delegate in
            delegate.onReceived = { channel, bytes in
                channel.write(Array("too large".utf8))
                channel.closeAfterFlush()
                return bytes.count
            }
            delegate.onClosed = { told.note($0) }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send([UInt8](repeating: 0, count: 3_000_000))
            #expect(try client.receiveToEnd() == Array("too large".utf8))
            client.finish()
            #expect(await told.next() == .requested)
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func lingersNoLongerThanAsked(_ implementation: LoopImplementation) async throws {
        let told = Probe<CloseReason>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onClosed = { told.note($0) }
            channel.closeAfterFlush(linger: Linger(time: .milliseconds(30)))
        } _: { server in
            let client = try TestClient(server.address)
            #expect(try client.receiveToEnd() == [])
            #expect(await told.next() == .requested)
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func takesInNoMoreThanAsked(_ implementation: LoopImplementation) async throws {
        let told = Probe<CloseReason>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onClosed = { told.note($0) }
            channel.closeAfterFlush(linger: Linger(bytes: 1000, time: .seconds(3600)))
        } _: { server in
            let client = try TestClient(server.address)
            try client.send([UInt8](repeating: 0, count: 1000))
            #expect(await told.next() == .requested)
        }
    }

    /// Everything pending still leaves, to a reader that begins late; nothing is told in between.
    @Test(arguments: LoopImplementation.allCases)
    func flushesBeforeItCloses(_ implementation: LoopImplementation) async throws {
        let told = Probe<String>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onReceived = { _, _ in
                told.note("received")
                return 0
            }
            delegate.onEndOfInput = { _ in told.note("end of input") }
            delegate.onClosed = { told.note("closed \($0)") }
            channel.write([UInt8](repeating: 7, count: 8_000_000))
            channel.closeAfterFlush(linger: Linger(time: .seconds(3600)))
            channel.write([UInt8](repeating: 8, count: 1000))
            told.note("pending \(channel.pendingBytes > 0)")
        } _: { server in
            let client = try TestClient(server.address, receiveBuffer: 8192)
            #expect(await told.next() == "pending true")
            try client.send("ignored")
            client.finish()
            #expect(try client.receiveToEnd() == [UInt8](repeating: 7, count: 8_000_000))
            #expect(await told.next() == "closed requested")
        }
        #expect(await told.rest() == [])
    }

    @Test(arguments: LoopImplementation.allCases)
    func closingNowCutsWhatIsPending(_ implementation: LoopImplementation) async throws {
        let told = Probe<CloseReason>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onClosed = { told.note($0) }
            channel.write([UInt8](repeating: 7, count: 20_000_000))
            channel.closeAfterFlush()
            channel.closeNow()
        } _: { server in
            let client = try TestClient(server.address)
            #expect(await told.next() == .requested)
            #expect(try client.receiveToEnd().count < 20_000_000)
        }
    }

    /// A closing channel may be abandoned by its peer while it still sends.
    @Test(arguments: LoopImplementation.allCases)
    func endsWhenThePeerResetsAFlush(_ implementation: LoopImplementation) async throws {
        let told = Probe<CloseReason>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onClosed = { told.note($0) }
            channel.write([UInt8](repeating: 7, count: 20_000_000))
            channel.closeAfterFlush()
        } _: { server in
            try TestClient(server.address).resetAtEnd()
            #expect(await told.next() == .reset)
        }
    }

    /// A closed channel lets its delegate go, and the loop lets the channel go.
    @Test(arguments: LoopImplementation.allCases)
    func isReleasedOnceClosed(_ implementation: LoopImplementation) async throws {
        let told = Probe<String>()
        try await TestServer.run(implementation) { channel, delegate in
            let witness = Witness { told.note("released") }
            // A cycle on purpose, as a connection that knows its channel has it.
            delegate.onReceived = { _, bytes in
                witness.holds()
                return channel.isOpen ? bytes.count : 0
            }
            delegate.onEndOfInput = { $0.closeNow() }
            delegate.onClosed = { [unowned delegate] _ in
                told.note("closed")
                delegate.onReceived = { $1.count }
            }
        } _: { server in
            try TestClient(server.address).finish()
            #expect(await told.next(2) == ["closed", "released"])
        }
    }
}
