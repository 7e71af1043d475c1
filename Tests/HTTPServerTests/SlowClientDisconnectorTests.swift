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
    @Test func theLoopsAreVisitedOneAfterAnother() {
        let log = Locked<[String]>([])
        let pending = Locked<[@Sendable () -> Void]>([])
        let visits = (0..<3).map { number -> SlowClientDisconnector.Visit in
            { done in
                log.withLock { $0.append("visit \(number)") }
                pending.withLock { $0.append(done) }
            }
        }
        let disconnector = SlowClientDisconnector(OutputBudget(limit: 100), visits) { _, job in
            log.withLock { $0.append("wait") }
            pending.withLock { $0.append(job) }
        }
        disconnector.begin()
        // It is under way already.
        disconnector.begin()
        for expected in ["visit 0", "visit 1", "visit 2", "wait"] {
            // Nothing else begins until this has ended.
            #expect(log.withLock { $0.last } == expected)
            let next = pending.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?()
        }
        #expect(log.withLock { $0.count } == 4)
        // The budget has room now, so the next excess begins anew.
        disconnector.begin()
        #expect(log.withLock { $0.last } == "visit 0")
    }
}
