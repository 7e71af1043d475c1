import HTTPServer
import Locks
import Sockets
import Testing

/// Which clients are disconnected when too many bytes wait for all clients together.
@Suite struct SlowClientDisconnectorTests {
    private func client(_ heldBytes: Int, stalled: Duration = .seconds(2)) -> SlowClient {
        SlowClient(heldBytes: heldBytes, stalledTime: stalled)
    }

    @Test func aQuarterOfTheBudgetBecomesFree() {
        #expect(SlowClientDisconnector.excess(of: 100, limit: 100) == 25)
        #expect(SlowClientDisconnector.excess(of: 130, limit: 100) == 55)
        #expect(SlowClientDisconnector.excess(of: 75, limit: 100) == 0)
        #expect(SlowClientDisconnector.excess(of: 10, limit: 100) == 0)
        #expect(SlowClientDisconnector.excess(of: .max, limit: .max) == .max / 4)
    }

    @Test func thoseThatHoldMostGoFirstUntilEnoughIsFree() {
        let clients = [client(10), client(40), client(30), client(20)]
        #expect(SlowClientDisconnector.choose(from: clients, excess: 1) == [1])
        #expect(SlowClientDisconnector.choose(from: clients, excess: 40) == [1])
        #expect(SlowClientDisconnector.choose(from: clients, excess: 41) == [1, 2])
        #expect(SlowClientDisconnector.choose(from: clients, excess: 1000) == [1, 2, 3, 0])
        #expect(SlowClientDisconnector.choose(from: clients, excess: 0) == [])
    }

    @Test func aClientThatTakesBytesIsNeverDisconnected() {
        let clients = [
            client(1000, stalled: .milliseconds(900)), client(0, stalled: .seconds(100)), client(5),
            client(800, stalled: .zero),
        ]
        #expect(SlowClientDisconnector.choose(from: clients, excess: 1000) == [2])
    }

    /// Each loop has to see how much the loops before it have freed.
    @Test func theLoopsAreVisitedOneAfterAnother() async throws {
        let (steps, reporter) = AsyncStream.makeStream(of: (name: String, end: Promise<Void>).self)
        let begun = Locked(0)
        let step: @Sendable (String) async -> Void = { name in
            let end = Promise<Void>()
            begun.withLock { $0 += 1 }
            reporter.yield((name, end))
            await end.value()
        }
        let visits = (0..<3).map { number -> SlowClientDisconnector.Visit in { await step("visit \(number)") } }
        let disconnector = SlowClientDisconnector(visits, hasExcess: { false }, sleep: { _ in await step("wait") })
        disconnector.begin()
        // It is under way already.
        disconnector.begin()
        var found = steps.makeAsyncIterator()
        for (index, expected) in ["visit 0", "visit 1", "visit 2", "wait"].enumerated() {
            let step = try #require(await found.next())
            #expect(step.name == expected)
            // Nothing else begins until this has ended.
            #expect(begun.withLock { $0 } == index + 1)
            step.end.fulfill(())
        }
        // The budget has room now, so the next excess begins anew.
        while begun.withLock({ $0 }) == 4 {
            disconnector.begin()
            await Task.yield()
        }
        let next = try #require(await found.next())
        #expect(next.name == "visit 0")
        next.end.fulfill(())
    }

    /// It would wait for the one after it otherwise.
    @Test(.timeLimit(.minutes(5))) func anExcessThatComesBehindTheLastLookIsNotMissed() async throws {
        let (visits, reporter) = AsyncStream.makeStream(of: Int.self)
        let holder = Locked<SlowClientDisconnector?>(nil)
        let looks = Locked(0)
        let disconnector = SlowClientDisconnector([{ reporter.yield(looks.withLock { $0 }) }]) {
            let isFirst = looks.withLock { looks in
                looks += 1
                return looks == 1
            }
            // There is none, and now there is one.
            if isFirst { holder.withLock(\.self)?.begin() }
            return false
        } sleep: { _ in
        }
        holder.withLock { $0 = disconnector }
        disconnector.begin()
        var found = visits.makeAsyncIterator()
        #expect(await found.next() == 0)
        #expect(await found.next() == 1)
        holder.withLock { $0 = nil }
    }
}
