import HTTPServer
import Locks
import Testing

/// Which requests are cut when the bytes of unfinished requests reach their budget.
@Suite struct InputCutterTests {
    private func input(_ heldBytes: Int, age seconds: Int) -> UnfinishedInput {
        UnfinishedInput(heldBytes: heldBytes, age: .seconds(seconds))
    }

    @Test func aQuarterOfTheShareOfEachLoopBecomesFree() {
        #expect(InputCutter.excess(of: 100, limit: 100, loops: 1) == 25)
        #expect(InputCutter.excess(of: 100, limit: 100, loops: 2) == 62)
        #expect(InputCutter.excess(of: 38, limit: 100, loops: 2) == 0)
        #expect(InputCutter.excess(of: 0, limit: 0, loops: 1) == 0)
        #expect(InputCutter.excess(of: 1000, limit: .max, loops: 3) == 0)
    }

    @Test func theOldestGoFirstUntilEnoughIsFree() {
        let connections = [input(10, age: 1), input(40, age: 3), input(30, age: 4), input(20, age: 2)]
        #expect(InputCutter.choose(from: connections, excess: 1) == [2])
        #expect(InputCutter.choose(from: connections, excess: 30) == [2])
        #expect(InputCutter.choose(from: connections, excess: 31) == [2, 1])
        #expect(InputCutter.choose(from: connections, excess: 1000) == [2, 1, 3, 0])
        #expect(InputCutter.choose(from: connections, excess: 0) == [])
    }

    @Test func aConnectionThatHoldsNothingIsNeverCut() {
        #expect(InputCutter.choose(from: [input(0, age: 100), input(5, age: 1)], excess: 1000) == [1])
    }

    @Test func allLoopsAreVisitedAtOnceAndOnceMoreForWhatCameMeanwhile() async throws {
        let (visits, reporter) = AsyncStream.makeStream(of: (number: Int, end: Promise<Void>).self)
        let begun = Locked(0)
        let cutter = InputCutter(
            (0..<3).map { number in
                {
                    let end = Promise<Void>()
                    begun.withLock { $0 += 1 }
                    reporter.yield((number, end))
                    await end.value()
                }
            })
        var found = visits.makeAsyncIterator()
        cutter.begin()
        var pending: [(number: Int, end: Promise<Void>)] = []
        for _ in 0..<3 { pending.append(try #require(await found.next())) }
        #expect(pending.map(\.number).sorted() == [0, 1, 2])
        // Bytes that come now may be behind the visits.
        for _ in 0..<5 { cutter.begin() }
        #expect(begun.withLock { $0 } == 3)
        for visit in pending { visit.end.fulfill(()) }
        for _ in 0..<3 { try #require(await found.next()).end.fulfill(()) }
        // Whether it has ended by now or not.
        cutter.begin()
        for _ in 0..<3 { try #require(await found.next()).end.fulfill(()) }
        #expect(begun.withLock { $0 } == 9)
    }

    @Test func theBudgetReportsEachExcessAndRemembersThePeak() {
        let reports = Locked(0)
        let budget = InputBudget(limit: 100)
        budget.whenExceeded { reports.withLock { $0 += 1 } }
        budget.add(100)
        #expect(reports.withLock { $0 } == 0)
        budget.add(1)
        budget.add(1)
        budget.add(-2)
        #expect(reports.withLock { $0 } == 2)
        #expect(budget.heldBytes == 100)
        #expect(budget.takePeak() == 102)
        #expect(budget.takePeak() == 100)
    }
}
