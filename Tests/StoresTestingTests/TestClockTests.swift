import Locks
import Stores
import StoresTesting
import Testing

@Suite struct TestClockTests {
    private let clock = TestClock(now: 1000)
    private let executor = ManualExecutor()
    private let log = Locked<[String]>([])

    private var entries: [String] { log.withLock { $0 } }

    @discardableResult
    private func sleeper(_ name: String, _ moments: Int...) -> Task<Void, Never> {
        let task = Task(executorPreference: executor) { [clock, log] in
            for moment in moments {
                let hasCome = (try? await clock.sleep(until: moment)) != nil
                log.withLock { $0.append(hasCome ? "\(name)@\(clock.now())" : "\(name) cancelled") }
            }
        }
        executor.run()
        return task
    }

    @Test func standsStillUntilItIsMoved() {
        sleeper("a", 1001)
        #expect(clock.now() == 1000)
        #expect(clock.sleepers == [1001])
        #expect(entries == [])
    }

    @Test func wakesInTheOrderOfTheMomentsAndOfComing() {
        for (name, moment) in [("a", 1030), ("b", 1010), ("c", 1030), ("d", 1020), ("e", 1010), ("f", 1041)] {
            sleeper(name, moment)
        }
        clock.advance(by: .milliseconds(40))
        executor.run()
        #expect(entries == ["b@1040", "e@1040", "d@1040", "a@1040", "c@1040"])
        #expect(clock.sleepers == [1041])
        clock.advance(by: .microseconds(1999))
        executor.run()
        #expect(entries.last == "f@1041")
        #expect(clock.sleepers == [])
    }

    @Test func aPastTimeIsNotWaitedForAndTimeNeverGoesBack() {
        sleeper("a", 1000, 999, .min)
        clock.advance(to: 5)
        #expect(entries == ["a@1000", "a@1000", "a@1000"])
    }

    @Test func cancellationEndsASleepAtOnce() {
        let cancelled = sleeper("a", 2000, 0)
        sleeper("b", 2000)
        cancelled.cancel()
        #expect(clock.sleepers == [2000])
        executor.run()
        // The second sleep finds the task cancelled, and its moment past.
        #expect(entries == ["a cancelled", "a cancelled"])
        clock.advance(to: 2000)
        cancelled.cancel()
        executor.run()
        #expect(entries == ["a cancelled", "a cancelled", "b@2000"])
    }

    /// The moments, the order in which they are taken up, and which sleeps are cancelled are drawn.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func everySleepEndsOnceInOrderAndNoneIsLeft(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var expected: [(moment: Int, name: String)] = []
        var cancelled: [Task<Void, Never>] = []
        for index in 0..<100 {
            let moment = Int.random(in: 1001...1020, using: &generator)
            let task = sleeper("\(index)", moment)
            if Bool.random(using: &generator) {
                cancelled.append(task)
            } else {
                expected.append((moment, "\(index)@\(moment)"))
            }
        }
        for task in cancelled.shuffled(using: &generator) { task.cancel() }
        executor.run()
        #expect(entries.count == cancelled.count)
        while let moment = clock.sleepers.first {
            clock.advance(to: moment)
            executor.run()
        }
        // Sorting is stable: equals keep the order in which they came.
        #expect(Array(entries.dropFirst(cancelled.count)) == expected.sorted { $0.moment < $1.moment }.map(\.name))
    }
}
