import Dispatch
import Glibc
import Locks
import Platform
import Sockets
import Testing
import Threads

@Suite(.timeLimit(.minutes(5))) struct EventLoopTests {
    @Test(arguments: LoopImplementation.allCases)
    func runsJobsOfEachThreadInOrder(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let (threads, jobs) = (8, 2000)
            let seen = Locked([[Int]](repeating: [], count: threads))
            let done = Probe<Int>()
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for job in 0..<jobs {
                    loop.execute { seen.withLock { $0[thread].append(job) } }
                }
                loop.execute { done.note(thread) }
            }
            _ = await done.next(threads)
            #expect(seen.withLock { $0 } == [[Int]](repeating: Array(0..<jobs), count: threads))
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func isCurrentOnlyOnItsThread(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            #expect(!loop.isCurrent)
            #expect(await loop.run { loop.isCurrent })
            try await withLoop(implementation) { other in
                #expect(await other.run { !loop.isCurrent && other.isCurrent })
            }
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func aJobNeverRunsBeforeExecuteReturns(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let probe = Probe<String>()
            loop.execute {
                loop.execute { probe.note("job") }
                loop.atEndOfTurn {
                    loop.atEndOfTurn { probe.note("end of the next turn") }
                    probe.note("end of turn")
                }
                probe.note("first")
            }
            #expect(await probe.next(4) == ["first", "end of turn", "job", "end of the next turn"])
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func firesTimersInOrderAndNeverEarly(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let probe = Probe<(delay: Int, elapsed: Duration)>()
            loop.execute {
                // The loop reads its clock once per turn, so all delays count from this moment.
                let begin = loop.now
                for delay in [80, 0, 40, 120, 20] {
                    _ = loop.schedule(after: .milliseconds(delay)) {
                        probe.note((delay, begin.duration(to: .current)))
                    }
                }
            }
            let fired = await probe.next(5)
            #expect(fired.map(\.delay) == [0, 20, 40, 80, 120])
            #expect(fired.allSatisfy { $0.elapsed >= .milliseconds($0.delay) })
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func manyDueTimersDoNotBlockJobs(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let probe = Probe<Int>()
            loop.execute {
                _ = loop.schedule(after: .zero) { loop.execute { probe.note(-1) } }
                for timer in 0..<1000 {
                    _ = loop.schedule(after: .zero) { probe.note(timer) }
                }
            }
            let notes = await probe.next(1001)
            #expect(notes.filter { $0 >= 0 } == Array(0..<1000))
            #expect(notes.prefix(200).contains(-1))
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func cancelsAndMovesTimers(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let probe = Probe<String>()
            loop.execute {
                let cancelled = loop.schedule(after: .milliseconds(10)) { probe.note("cancelled") }
                let moved = loop.schedule(after: .seconds(3600)) { probe.note("moved") }
                _ = loop.schedule(after: .milliseconds(60)) {
                    probe.note("last")
                    loop.cancel(moved)
                    if loop.reschedule(moved, after: .zero) { probe.note("a fired timer was moved") }
                }
                loop.cancel(cancelled)
                if !loop.reschedule(moved, after: .milliseconds(20)) { probe.note("not moved") }
            }
            #expect(await probe.next(2) == ["moved", "last"])
            await loop.turns(3)
            #expect(await probe.remaining() == [])
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func repeatsEventsUntilTheyAreHandled(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let pair = SocketPair()
            pair.send([1, 2, 3])
            let probe = Probe<UInt8>()
            loop.execute {
                let handler = ScriptedHandler { descriptor, readiness in
                    var byte: UInt8 = 0
                    if readiness.contains(.readable), recv(descriptor, &byte, 1, 0) == 1 { probe.note(byte) }
                }
                try? loop.watch(pair.theirs, .readable, handler)
            }
            #expect(await probe.next(3) == [1, 2, 3])
            await loop.run { loop.unwatch(pair.theirs) }
            close(pair.theirs)
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func reportsOnlyTheInterest(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let pair = SocketPair()
            pair.send([1])
            let probe = Probe<Readiness>()
            loop.execute {
                let handler = ScriptedHandler { descriptor, readiness in
                    probe.note(readiness)
                    loop.update(descriptor, readiness == .writable ? .readable : [])
                }
                try? loop.watch(pair.theirs, .writable, handler)
            }
            #expect(await probe.next(2) == [.writable, .readable])
            await loop.turns(3)
            #expect(await probe.remaining() == [])
            await loop.run { loop.unwatch(pair.theirs) }
            close(pair.theirs)
        }
    }

    /// Two sockets are ready in one batch. The first handler closes the other socket and reuses its number for a third one,
    /// which has nothing to read and must get no event.
    @Test(arguments: LoopImplementation.allCases)
    func neverReportsEventsOfAReusedDescriptor(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let (one, two, third) = (SocketPair(), SocketPair(), SocketPair())
            let probe = Probe<String>()
            one.send([1])
            two.send([1])
            loop.execute {
                let late = ScriptedHandler { _, _ in probe.note("stale") }
                let first = ScriptedHandler { descriptor, _ in
                    let other = descriptor == one.theirs ? two.theirs : one.theirs
                    loop.unwatch(descriptor)
                    loop.unwatch(other)
                    dup2(third.theirs, other)
                    try? loop.watch(other, .readable, late)
                    probe.note("first")
                }
                try? loop.watch(one.theirs, .readable, first)
                try? loop.watch(two.theirs, .readable, first)
            }
            #expect(await probe.next() == "first")
            await loop.turns(5)
            third.send([1])
            #expect(await probe.next() == "stale")
            await loop.stop()
            for descriptor in [one.theirs, two.theirs, third.theirs] {
                close(descriptor)
            }
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func rejectsInvalidDescriptors(_ implementation: LoopImplementation) async throws {
        try await withLoop(implementation) { loop in
            let refused = await loop.run {
                do throws(SocketError) {
                    try loop.watch(-1, .readable, ScriptedHandler { _, _ in })
                    return SocketError?.none
                } catch {
                    return error
                }
            }
            guard case .system(_, EBADF) = refused else {
                Issue.record("expected EBADF, got \(String(describing: refused))")
                return
            }
        }
    }
}
