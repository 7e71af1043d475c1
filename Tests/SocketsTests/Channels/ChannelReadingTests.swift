import Dispatch
import Locks
import Sockets
import Testing
import Threads

@Suite(.timeLimit(.minutes(5))) struct ChannelReadingTests {
    /// Unconsumed bytes are delivered again together with the next ones.
    @Test(arguments: LoopImplementation.allCases)
    func redeliversUnconsumedBytesWithNewOnes(_ implementation: LoopImplementation) async throws {
        let events = Probe<String>()
        try await TestServer.run(implementation) { _, delegate in
            delegate.onReceived = { _, bytes in
                let whole = bytes.count - bytes.count % 5
                for start in stride(from: 0, to: whole, by: 5) {
                    events.note(String(decoding: bytes[start..<(start + 5)], as: UTF8.self))
                }
                return whole
            }
        } _: { server in
            let client = try TestClient(server.address)
            for byte in "ABCDEabcde12345".utf8 {
                try client.send([byte])
            }
            try client.send("67890-----")
            #expect(await events.next(5) == ["ABCDE", "abcde", "12345", "67890", "-----"])
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

    /// Of a channel that is not read, since it would be delivered otherwise.
    @Test(arguments: LoopImplementation.allCases)
    func knowsWhetherInputWaits(_ implementation: LoopImplementation) async throws {
        let channels = Probe<LoopBound<Channel>>()
        try await TestServer.run(implementation) { channel, delegate in
            delegate.onReceived = { channel, bytes in
                channel.pauseReading()
                return bytes.count
            }
            channels.note(LoopBound(channel, on: channel.loop))
        } _: { server in
            let client = try TestClient(server.address)
            let channel = try #require(await channels.next())
            #expect(await server.loop.run { channel.value.hasUnreadInput } == false)
            // The first byte is read, and pauses the channel; the second one stays with the system.
            try client.send("a")
            while await server.loop.run({ channel.value.hasUnreadInput }) { await server.loop.turns(1) }
            await server.loop.run { channel.value.pauseReading() }
            try client.send("b")
            while await !server.loop.run({ channel.value.hasUnreadInput }) { await server.loop.turns(1) }
            await server.loop.run { channel.value.closeNow() }
            #expect(await server.loop.run { channel.value.hasUnreadInput } == false)
        }
    }

    /// Pausing and resuming in one call delivers the remaining bytes at once, without recursion.
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
        let events = Probe<String>()
        let channels = Probe<LoopBound<Channel>>()
        try await TestServer.run(implementation) { channel, delegate in
            channel.pauseReading()
            channels.note(LoopBound(channel, on: channel.loop))
            delegate.onReceived = { _, bytes in
                events.note(String(decoding: bytes, as: UTF8.self))
                return bytes.count
            }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send("early")
            let channel = try #require(await channels.next())
            await server.loop.turns(5)
            await server.loop.run {
                events.note("still paused")
                channel.value.resumeReading()
            }
            #expect(await events.next(2) == ["still paused", "early"])
            // The interest was removed and registered again.
            try client.send("late")
            #expect(await events.next() == "late")
        }
    }

    /// The delegate gets the unconsumed bytes before the end of the input, also if both come in the turn in which reading resumes.
    @Test(arguments: LoopImplementation.allCases)
    func deliversWhatIsLeftBeforeTheEnd(_ implementation: LoopImplementation) async throws {
        let events = Probe<String>()
        let paused = Locked<LoopBound<Channel>?>(nil)
        try await TestServer.run(implementation) { _, delegate in
            delegate.onReceived = { channel, bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                if text == "resume" {
                    paused.withLock(\.self)?.value.resumeReading()
                    return bytes.count
                }
                events.note(String(text.prefix(1)))
                if text.hasPrefix("a") || text.hasPrefix("b") {
                    paused.withLock { $0 = LoopBound(channel, on: channel.loop) }
                    channel.pauseReading()
                }
                return 1
            }
            delegate.onEndOfInput = { _ in events.note("end") }
        } _: { server in
            let (client, other) = (try TestClient(server.address), try TestClient(server.address))
            try other.send("x")
            try client.send("abc")
            #expect(Set(await events.next(2)) == ["x", "a"])
            let isSent = DispatchSemaphore(value: 0)
            server.loop.execute { isSent.wait() }
            try other.send("resume")
            client.finish()
            isSent.signal()
            #expect(await events.next() == "b")
            await server.loop.turns(5)
            try other.send("resume")
            #expect(await events.next(2) == ["c", "end"])
        }
    }

    /// If the delegate consumes nothing of a full buffer, reading stops and memory does not grow.
    @Test(arguments: LoopImplementation.allCases)
    func stopsReadingAtTheLimitOfUnconsumedBytes(_ implementation: LoopImplementation) async throws {
        let events = Probe<Int>()
        let channels = Probe<LoopBound<Channel>>()
        try await TestServer.run(implementation) { channel, delegate in
            channels.note(LoopBound(channel, on: channel.loop))
            delegate.onReceived = { _, bytes in
                if bytes.count == 65_536 { events.note(bytes.count) }
                return 0
            }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send([UInt8](repeating: 1, count: 200_000))
            #expect(await events.next() == 65_536)
            let channel = try #require(await channels.next())
            await server.loop.run {
                let delegate = ScriptedDelegate()
                delegate.onReceived = { _, bytes in
                    events.note(bytes.count)
                    return bytes.count
                }
                channel.value.delegate = delegate
                channel.value.resumeReading()
            }
            var received = 0
            while received < 200_000 {
                received += try #require(await events.next())
            }
            #expect(received == 200_000)
        }
    }

    /// With a higher limit, a delegate can collect more bytes than the loop's buffer holds.
    @Test(arguments: LoopImplementation.allCases)
    func redeliversMoreThanTheLoopsBuffer(_ implementation: LoopImplementation) async throws {
        let events = Probe<Int>()
        try await TestServer.run(implementation) { channel, delegate in
            channel.maxUnconsumedBytes = 200_000
            delegate.onReceived = { _, bytes in
                guard bytes.count == 200_000, bytes.last == 2 else { return 0 }
                events.note(bytes.count)
                return bytes.count
            }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send([UInt8](repeating: 1, count: 199_999) + [2])
            #expect(await events.next() == 200_000)
        }
    }
}
