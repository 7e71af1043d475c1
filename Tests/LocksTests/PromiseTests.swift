import Locks
import Testing

struct PromiseTests {
    @Test func hasItsValueBeforeAnyoneWaits() async {
        let promise = Promise<Int>()
        promise.fulfill(1)
        #expect(await promise.value() == 1)
        #expect(await promise.value() == 1)
    }

    @Test func resumesAllThatWait() async {
        let promise = Promise<Int>()
        let waiting = Locked(0)
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    waiting.withLock { $0 += 1 }
                    return await promise.value()
                }
            }
            while waiting.withLock({ $0 }) < 10 { await Task.yield() }
            promise.fulfill(7)
            return await group.reduce(0, +)
        }
        #expect(sum == 70)
    }

    @Test func keepsTheFirstValue() async {
        let promise = Promise<Int>()
        promise.fulfill(1)
        promise.fulfill(2)
        #expect(await promise.value() == 1)
    }

    /// Whatever value wins a race, all tasks get the same one.
    @Test func givesTheSameValueToAllAfterARace() async {
        for _ in 0..<100 {
            let promise = Promise<Int>()
            let seen = await withTaskGroup(of: Int?.self) { group in
                for value in 0..<4 {
                    group.addTask {
                        promise.fulfill(value)
                        return nil
                    }
                    group.addTask { await promise.value() }
                }
                return await group.reduce(into: Set<Int>()) { seen, value in
                    if let value { seen.insert(value) }
                }
            }
            #expect(seen.count == 1)
        }
    }

    /// A task that was cancelled still gets the value, as the work that fulfills the promise goes on too.
    @Test func cancellationDoesNotEndTheWait() async {
        let promise = Promise<Int>()
        let task = Task { await promise.value() }
        task.cancel()
        promise.fulfill(3)
        #expect(await task.value == 3)
    }
}
