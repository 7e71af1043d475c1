import HTTPServer
import Testing

/// Which clients are disconnected when too many bytes wait for all clients together.
@Suite struct OutputReliefTests {
    private func client(_ pendingBytes: Int, stalled: Duration = .seconds(2)) -> SlowClient {
        SlowClient(pendingBytes: pendingBytes, stalledTime: stalled)
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
}
