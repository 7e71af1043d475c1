import Glibc
import Sockets
import Testing
import Threads

@Suite(.timeLimit(.minutes(5))) struct ChannelWritingTests {
    /// A socket that preserves records shows each system call.
    @Test(arguments: LoopImplementation.allCases)
    func sendsADelegatesWritesInOneCall(_ implementation: LoopImplementation) async throws {
        let pair = SocketPair(records: true)
        pair.send([1])
        try await withLoop(implementation) { loop in
            let done = Probe<Void>()
            loop.execute {
                let delegate = ScriptedDelegate()
                delegate.onReceived = { channel, bytes in
                    for text in ["one", "two", "three"] {
                        channel.write(Array(text.utf8))
                    }
                    return bytes.count
                }
                delegate.onDrained = { channel in
                    channel.write(Array("four".utf8))
                    channel.write(Array("five".utf8))
                    channel.cork()
                    channel.write(Array("six".utf8))
                    channel.cork()
                    channel.write(Array("seven".utf8))
                    delegate.onDrained = { _ in done.note(()) }
                    channel.uncork()
                    channel.uncork()
                }
                _ = try? Channel(owning: pair.theirs, on: loop, delegate: delegate)
            }
            await done.next()
            #expect(pair.received() == ["onetwothree", "four", "five", "sixseven"])
        }
    }

    #if os(Linux)
        /// The answers of channels that are ready together leave together, at most 16 at a time.
        @Test func sendsTheAnswersOfSeveralChannelsTogether() async throws {
            let pairs = (0..<20).map { _ in SocketPair(records: true) }
            for pair in pairs { pair.send([1]) }
            try await withLoop(.epoll) { loop in
                let (answered, drained) = (Probe<Int>(), Probe<Void>())
                loop.execute {
                    for pair in pairs {
                        let delegate = ScriptedDelegate()
                        delegate.onReceived = { channel, bytes in
                            answered.note(pairs.count { $0.hasReceived })
                            channel.write(Array("answer".utf8))
                            return bytes.count
                        }
                        delegate.onDrained = { _ in drained.note(()) }
                        _ = try? Channel(owning: pair.theirs, on: loop, delegate: delegate)
                    }
                }
                _ = await drained.next(pairs.count)
                #expect(await answered.next(pairs.count) == Array(repeating: 0, count: 16) + [16, 16, 16, 16])
                for pair in pairs { #expect(pair.received() == ["answer"]) }
            }
        }

        /// The bytes that a job writes leave at the end of the turn, at most 16 channels at a time.
        @Test func sendsSoonWhatSeveralJobsWrite() async throws {
            let pairs = (0..<20).map { _ in SocketPair(records: true) }
            try await withLoop(.epoll) { loop in
                let arrived = await loop.run {
                    let channels = pairs.compactMap { try? Channel(owning: $0.theirs, on: loop) }
                    return channels.map { channel in
                        channel.writeSoon(Array("soon".utf8))
                        // The order stays, and nothing is lost.
                        channel.write(Array("er".utf8))
                        return pairs.count { $0.hasReceived }
                    }
                }
                #expect(arrived == Array(repeating: 0, count: 16) + [16, 16, 16, 16])
                await loop.turns(1)
                for pair in pairs { #expect(pair.received() == ["sooner"]) }
            }
        }
    #endif

    @Test(arguments: LoopImplementation.allCases)
    func sendsSoonBeforeItCloses(_ implementation: LoopImplementation) async throws {
        let pair = SocketPair(records: true)
        try await withLoop(implementation) { loop in
            let closed = Probe<CloseReason>()
            loop.execute {
                let delegate = ScriptedDelegate()
                delegate.onClosed = { closed.note($0) }
                let channel = try? Channel(owning: pair.theirs, on: loop, delegate: delegate)
                channel?.writeSoon(Array("one".utf8))
                channel?.writeSoon(Array("two".utf8))
                channel?.closeAfterFlush(linger: nil)
                channel?.writeSoon(Array("late".utf8))
            }
            #expect(await closed.next() == .requested)
            #expect(pair.received() == ["onetwo"])
        }
    }

    /// With a slow reader, bytes stay pending, and the delegate writes more when they are sent.
    @Test(arguments: LoopImplementation.allCases)
    func keepsPendingOutputForASlowReader(_ implementation: LoopImplementation) async throws {
        let blocked = Probe<Int>()
        try await TestServer.run(implementation) { channel, delegate in
            var next: UInt8 = 0
            let fill = { (channel: Channel) in
                while next < 40 && channel.pendingBytes == 0 {
                    channel.write([UInt8](repeating: next, count: 300_000))
                    next += 1
                }
                blocked.note(channel.pendingBytes)
                if next == 40 { channel.closeAfterFlush(linger: nil) }
            }
            delegate.onDrained = fill
            fill(channel)
        } _: { server in
            let client = try TestClient(server.address, receiveBuffer: 8192)
            #expect(try #require(await blocked.next()) > 0)
            let bytes = try client.receiveToEnd()
            #expect(bytes.count == 40 * 300_000)
            #expect((0..<40).allSatisfy { bytes[$0 * 300_000] == $0 && bytes[$0 * 300_000 + 299_999] == $0 })
        }
    }

    /// More arrays are pending than one system call sends.
    @Test(arguments: LoopImplementation.allCases)
    func sendsManyPendingArraysInOrder(_ implementation: LoopImplementation) async throws {
        let expected = (0..<60_000).map { "line \($0)\n" }
        try await TestServer.run(implementation) { channel, _ in
            for line in expected {
                channel.write(Array(line.utf8))
            }
            channel.closeAfterFlush()
        } _: { server in
            let client = try TestClient(server.address, receiveBuffer: 4096)
            #expect(try client.receiveToEnd() == Array(expected.joined().utf8))
        }
    }

    /// A delegate that writes in `channelDrained` must not overflow the stack if the reader is fast.
    @Test(arguments: LoopImplementation.allCases)
    func drainsWithoutRecursion(_ implementation: LoopImplementation) async throws {
        try await TestServer.run(implementation) { _, delegate in
            var left = 100_000
            delegate.onReceived = { channel, bytes in
                channel.write([0])
                return bytes.count
            }
            delegate.onDrained = { channel in
                while left > 0 && channel.pendingBytes == 0 {
                    left -= 1
                    channel.write([1])
                }
                if left == 0 { channel.closeAfterFlush() }
            }
        } _: { server in
            let client = try TestClient(server.address)
            try client.send("go")
            #expect(try client.receiveToEnd().count == 100_001)
        }
    }

    /// Only bytes that the system does not accept at once are counted, until they are sent or the channel closes.
    @Test(arguments: LoopImplementation.allCases)
    func pendingBytesAreCountedInTheBudget(_ implementation: LoopImplementation) async throws {
        let exceeded = Probe<Void>()
        let budget = OutputBudget(limit: 3_000_000)
        budget.whenExceeded { exceeded.note(()) }
        let pending = Probe<Int>()
        let closed = Probe<Int>()
        try await TestServer.run(implementation) { channel, delegate in
            channel.budget = budget
            channel.write([1])
            pending.note(budget.pendingBytes)
            for _ in 0..<2 { channel.write([UInt8](repeating: 0, count: 8_000_000)) }
            // The first array stays in memory until its last byte is sent.
            pending.note(16_000_000 - budget.pendingBytes)
            pending.note(budget.pendingBytes)
            delegate.onDrained = { _ in pending.note(budget.pendingBytes) }
            delegate.onReceived = { channel, bytes in
                channel.write([UInt8](repeating: 0, count: 8_000_000))
                channel.closeNow()
                return bytes.count
            }
            delegate.onClosed = { _ in closed.note(budget.pendingBytes) }
        } _: { server in
            let client = try TestClient(server.address, receiveBuffer: 4096)
            #expect(await pending.next() == 0)
            #expect(await pending.next() == 0)
            #expect(try #require(await pending.next()) > budget.limit)
            await exceeded.next()
            #expect(!budget.admits(1))
            _ = try client.receive(exactly: 16_000_001)
            #expect(await pending.next() == 0)
            #expect(budget.admits(3_000_000) && !budget.admits(3_000_001))
            try client.send("more")
            #expect(await closed.next() == 0)
        }
    }
}
