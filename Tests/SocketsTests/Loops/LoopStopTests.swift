import Glibc
import Sockets
import Testing
import Threads

@Suite(.timeLimit(.minutes(5))) struct LoopStopTests {
    @Test(arguments: LoopImplementation.allCases)
    func runsAcceptedJobsAndRejectsLaterOnes(_ implementation: LoopImplementation) async throws {
        let loop = try implementation.makeLoop(label: "test")
        let probe = Probe<Int>()
        loop.execute {
            loop.stop {}
            for job in 0..<3 {
                loop.execute { probe.note(job) }
            }
        }
        await loop.stop()
        #expect(!loop.execute { probe.note(99) })
        #expect(await probe.remaining() == [0, 1, 2])
        await loop.stop()
    }

    @Test(arguments: LoopImplementation.allCases)
    func notifiesHandlersAndDiscardsTimers(_ implementation: LoopImplementation) async throws {
        let loop = try implementation.makeLoop(label: "test")
        let pair = SocketPair()
        let probe = Probe<String>()
        await loop.run {
            let handler = ScriptedHandler({ _, _ in }, onStop: { probe.note("stopped \($0 == pair.theirs)") })
            try? loop.watch(pair.theirs, .readable, handler)
            let witness = Witness { probe.note("timer dropped") }
            _ = loop.schedule(after: .seconds(3600)) { witness.holds() }
        }
        await loop.stop()
        #expect(await probe.remaining() == ["stopped true", "timer dropped"])
        close(pair.theirs)
    }

    @Test(arguments: LoopImplementation.allCases)
    func closesListenersAndChannels(_ implementation: LoopImplementation) async throws {
        let reasons = Probe<CloseReason>()
        let opened = Probe<Int32>()
        var clients: [TestClient] = []
        var inodes: [Int32: UInt] = [:]
        try await TestServer.run(implementation) { channel, delegate in
            opened.note(channel.descriptor)
            delegate.onClosed = { reasons.note($0) }
        } _: { server in
            for _ in 0..<10 {
                clients.append(try TestClient(server.address))
            }
            for descriptor in await opened.next(10) + [server.listening] {
                inodes[descriptor] = Self.inode(of: descriptor)
            }
        }
        #expect(await reasons.remaining() == Array(repeating: .loopStopped, count: 10))
        for (descriptor, inode) in inodes {
            #expect(Self.inode(of: descriptor) != inode)
        }
        for client in clients {
            #expect(try client.receiveToEnd() == [])
        }
    }

    /// Other tests have descriptors for as long as they run, so the limit is loose. A leak would be at least 100, for ever.
    @Test(arguments: LoopImplementation.allCases)
    func leavesNoDescriptorOfItsOwn(_ implementation: LoopImplementation) async throws {
        let before = Self.loopDescriptors()
        for _ in 0..<100 {
            let loop = try implementation.makeLoop(label: "test")
            await loop.run {}
            await loop.stop()
        }
        let limit = ContinuousClock.now + .seconds(120)
        while Self.loopDescriptors() - before >= 50 {
            try #require(ContinuousClock.now < limit)
            await Task.yield()
        }
    }

    /// How many `epoll` and `eventfd` descriptors the process has.
    private static func loopDescriptors() -> Int {
        (0..<Int32(4096)).count { descriptor in
            var target = [UInt8](repeating: 0, count: 64)
            let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
            return count > 0 && String(decoding: target.prefix(count), as: UTF8.self).hasPrefix("anon_inode:[event")
        }
    }

    private static func inode(of descriptor: Int32) -> UInt {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt(status.st_ino) : 0
    }
}
