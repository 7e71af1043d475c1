import Locks
import StoresTesting
import Testing

@Suite struct ManualExecutorTests {
    private let executor = ManualExecutor()
    private let log = Locked<[Int]>([])

    private var entries: [Int] { log.withLock { $0 } }

    @discardableResult
    private func task(_ body: @escaping @Sendable (Locked<[Int]>) async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor) { [log] in await body(log) }
    }

    @Test func nothingRunsWithoutACall() {
        task { log in log.withLock { $0.append(1) } }
        #expect(entries == [])
        #expect(executor.run())
        #expect(entries == [1])
        #expect(executor.run())
        #expect(entries == [1])
    }

    @Test func tasksTakeTurnsInTheOrderOfComing() {
        for number in 1...3 {
            task { log in
                for round in 0..<3 {
                    log.withLock { $0.append(number + 10 * round) }
                    await Task.yield()
                }
            }
        }
        executor.run()
        #expect(entries == [1, 2, 3, 11, 12, 13, 21, 22, 23])
    }

    @Test func childTasksAndActorsRunHereToo() {
        actor Sum {
            var total = 0
            func add(_ number: Int) { total += number }
        }
        task { log in
            let sum = Sum()
            await withTaskGroup(of: Void.self) { group in
                for number in 1...10 { group.addTask { await sum.add(number) } }
            }
            async let total = sum.total
            let entry = await total
            log.withLock { $0.append(entry) }
        }
        executor.run()
        #expect(entries == [55])
    }

    @Test func aCallInsideAJobRunsNothing() {
        task { [executor] log in
            executor.run()
            log.withLock { $0.append(1) }
        }
        task { log in log.withLock { $0.append(2) } }
        executor.run()
        #expect(entries == [1, 2])
    }

    @Test func stopsAtTheLimit() {
        let spinning = task { _ in while !Task.isCancelled { await Task.yield() } }
        #expect(!executor.run(limit: 1000))
        spinning.cancel()
        #expect(executor.run())
    }

    @Test func whatAnotherThreadResumesCanBeWaitedFor() async {
        let handed = Locked<CheckedContinuation<Int, Never>?>(nil)
        task { log in
            let number = await withCheckedContinuation { continuation in handed.withLock { $0 = continuation } }
            log.withLock { $0.append(number) }
        }
        await executor.waitForJob()
        executor.run()
        Task.detached { handed.withLock { $0 }?.resume(returning: 7) }
        await executor.waitForJob()
        #expect(entries == [])
        executor.run()
        #expect(entries == [7])
    }
}
