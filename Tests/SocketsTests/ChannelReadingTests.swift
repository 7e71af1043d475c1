import Sockets
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChannelReadingTests {
    /// Bytes that the delegate leaves come again, joined with the next.
    @Test(arguments: LoopImplementation.allCases)
    func joinsWhatIsLeftWithWhatComes(_ implementation: LoopImplementation) async throws {
        let told = Probe<String>()
        try await TestServer.run(implementation) { _, delegate in
            delegate.onReceived = { _, bytes in
                let whole = bytes.count - bytes.count % 5
                for start in stride(from: 0, to: whole, by: 5) {
                    told.note(String(decoding: bytes[start..<(start + 5)], as: UTF8.self))
                }
                return whole
            }
        } _: { server in
            let client = try TestClient(server.address)
            for byte in "ABCDEabcde12345".utf8 {
                try client.send([byte])
            }
            try client.send("67890-----")
            #expect(await told.next(5) == ["ABCDE", "abcde", "12345", "67890", "-----"])
        }
    }

    /// One message at a time, with a pause until it is answered from elsewhere: what is left comes without new bytes.
    @Test(arguments: LoopImplementation.allCases)
    func takesUpWhatIsLeftWhenReadingResumes(_ implementation: LoopImplementation) async throws {
        try await TestServer.run(implementation) { channel, delegate in
            let bound = LoopBound(channel, on: channel.loop)
            delegate.onReceived = { channel, bytes in
                let message = Array(bytes.prefix(3))
                channel.pauseReading()
                let loop = channel.loop
                loop.execute {
                    bound.value.write(message.reversed())
                    bound.value.resumeReading()
                }
                return message.count
            }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send("abcdefghi")
            #expect(try client.receiveText(9) == "cbafedihg")
            try client.send("xyz")
            #expect(try client.receiveText(3) == "zyx")
        }
    }

    /// Pausing and resuming within one call gives the rest at once, in a loop and not by recursion.
    @Test(arguments: LoopImplementation.allCases)
    func resumesWithinADelivery(_ implementation: LoopImplementation) async throws {
        try await TestServer.run(implementation) { _, delegate in
            delegate.onReceived = { channel, bytes in
                channel.pauseReading()
                channel.write([bytes[0] &+ 1])
                channel.resumeReading()
                return 1
            }
        } _: { server in
            let client = try TestClient(server.address)
            let sent = [UInt8](repeating: 65, count: 50_000)
            try client.send(sent)
            #expect(try client.receive(exactly: 50_000) == [UInt8](repeating: 66, count: 50_000))
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func readsNothingWhilePaused(_ implementation: LoopImplementation) async throws {
        let told = Probe<String>()
        let channels = Probe<LoopBound<Channel>>()
        try await TestServer.run(implementation) { channel, delegate in
            channel.pauseReading()
            channels.note(LoopBound(channel, on: channel.loop))
            delegate.onReceived = { _, bytes in
                told.note(String(decoding: bytes, as: UTF8.self))
                return bytes.count
            }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send("early")
            let channel = try #require(await channels.next())
            await server.loop.turns(5)
            await server.loop.run {
                told.note("still paused")
                channel.value.resumeReading()
            }
            #expect(await told.next(2) == ["still paused", "early"])
            // The interest was lost and taken up again: further bytes come as ever.
            try client.send("late")
            #expect(await told.next() == "late")
        }
    }

    /// A delegate that takes nothing from a full buffer stops the reading, and the memory with it.
    @Test(arguments: LoopImplementation.allCases)
    func holdsBackAPeerThatNobodyListensTo(_ implementation: LoopImplementation) async throws {
        let told = Probe<Int>()
        let channels = Probe<LoopBound<Channel>>()
        try await TestServer.run(implementation) { channel, delegate in
            channels.note(LoopBound(channel, on: channel.loop))
            delegate.onReceived = { _, bytes in
                if bytes.count == 65_536 { told.note(bytes.count) }
                return 0
            }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send([UInt8](repeating: 1, count: 200_000))
            #expect(await told.next() == 65_536)
            let channel = try #require(await channels.next())
            await server.loop.run {
                let delegate = ScriptedDelegate()
                delegate.onReceived = { _, bytes in
                    told.note(bytes.count)
                    return bytes.count
                }
                channel.value.delegate = delegate
                channel.value.resumeReading()
            }
            var received = 0
            while received < 200_000 {
                received += try #require(await told.next())
            }
            #expect(received == 200_000)
        }
    }

    /// A delegate that needs more at once than the loop's buffer holds gets it where it may keep so much.
    @Test(arguments: LoopImplementation.allCases)
    func keepsWhatIsLargerThanTheBuffer(_ implementation: LoopImplementation) async throws {
        let told = Probe<Int>()
        try await TestServer.run(implementation) { channel, delegate in
            channel.mostKept = 200_000
            delegate.onReceived = { _, bytes in
                guard bytes.count == 200_000, bytes.last == 2 else { return 0 }
                told.note(bytes.count)
                return bytes.count
            }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send([UInt8](repeating: 1, count: 199_999) + [2])
            #expect(await told.next() == 200_000)
        }
    }
}
