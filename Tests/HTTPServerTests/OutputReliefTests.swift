import HTTPServer
import Locks
import Sockets
import Testing

/// Which clients are disconnected when too many bytes wait for all clients together.
@Suite struct OutputReliefTests {
    private func client(_ heldBytes: Int, stalled: Duration = .seconds(2)) -> SlowClient {
        SlowClient(heldBytes: heldBytes, stalledTime: stalled)
    }

    @Test func aQuarterOfTheBudgetBecomesFree() {
        #expect(OutputRelief.excess(of: 100, limit: 100) == 25)
        #expect(OutputRelief.excess(of: 130, limit: 100) == 55)
        #expect(OutputRelief.excess(of: 75, limit: 100) == 0)
        #expect(OutputRelief.excess(of: 10, limit: 100) == 0)
        #expect(OutputRelief.excess(of: .max, limit: .max) == .max / 4)
    }

    @Test func thoseThatHoldMostGoFirstUntilEnoughIsFree() {
        let clients = [client(10), client(40), client(30), client(20)]
        #expect(OutputRelief.choose(from: clients, excess: 1) == [1])
        #expect(OutputRelief.choose(from: clients, excess: 40) == [1])
        #expect(OutputRelief.choose(from: clients, excess: 41) == [1, 2])
        #expect(OutputRelief.choose(from: clients, excess: 1000) == [1, 2, 3, 0])
        #expect(OutputRelief.choose(from: clients, excess: 0) == [])
    }

    @Test func aClientThatTakesBytesIsNeverDisconnected() {
        let clients = [
            client(1000, stalled: .milliseconds(900)), client(0, stalled: .seconds(100)), client(5),
            client(800, stalled: .zero),
        ]
        #expect(OutputRelief.choose(from: clients, excess: 1000) == [2])
    }

    /// Each loop has to see how much the loops before it have freed.
    @Test func theLoopsAreVisitedOneAfterAnother() {
        let log = Locked<[String]>([])
        let pending = Locked<[@Sendable () -> Void]>([])
        let visits = (0..<3).map { number -> OutputRelief.Visit in
            { done in
                log.withLock { $0.append("visit \(number)") }
                pending.withLock { $0.append(done) }
            }
        }
        let relief = OutputRelief(OutputBudget(limit: 100), visits) { _, job in
            log.withLock { $0.append("wait") }
            pending.withLock { $0.append(job) }
        }
        relief.begin()
        // It is under way already.
        relief.begin()
        for _ in 0..<4 {
            let next = pending.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?()
        }
        #expect(log.withLock { $0 } == ["visit 0", "visit 1", "visit 2", "wait"])
        // The budget has room now, so the next pressure begins anew.
        relief.begin()
        #expect(log.withLock { $0.last } == "visit 0")
    }
}
