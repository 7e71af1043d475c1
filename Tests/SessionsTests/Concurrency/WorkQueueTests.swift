import Sessions
import Testing

/// Which of the waiting jobs runs next.
@Suite struct WorkQueueTests {
    private typealias Queue = WorkQueue<String, Int>

    private static func queue(threads: Int = 2, perOwner: Int = 10, waiting: Int = 20) -> Queue {
        var limits = Queue.Limits()
        limits.threads = threads
        limits.waitingPerOwner = perOwner
        limits.waiting = waiting
        return Queue(limits)
    }

    @Test func threadsAreStartedForJobsThatCanRun() {
        var queue = Self.queue()
        #expect(queue.add(1, of: "a") == .startThread)
        #expect(queue.next(after: nil)?.job == 1)
        // The next job of the same owner waits for the first.
        #expect(queue.add(2, of: "a") == .queued)
        #expect(queue.add(3, of: "b") == .startThread)
        #expect(queue.next(after: nil)?.job == 3)
        #expect(queue.add(4, of: "c") == .queued)
    }

    @Test func oneJobOfAnOwnerRunsAtATime() {
        var queue = Self.queue()
        _ = queue.add(1, of: "a")
        _ = queue.add(2, of: "a")
        #expect(queue.next(after: nil)?.job == 1)
        // A second thread finds nothing to do.
        _ = queue.add(3, of: "b")
        #expect(queue.next(after: nil)?.job == 3)
        #expect(queue.next(after: "b") == nil)
        #expect(queue.next(after: "a")?.job == 2)
    }

    @Test func ownersTakeTurns() {
        var queue = Self.queue(threads: 1)
        for job in 1...4 { _ = queue.add(job, of: "busy") }
        _ = queue.add(10, of: "a")
        _ = queue.add(20, of: "b")
        var order: [Int] = []
        var finished: String?
        while let (owner, job) = queue.next(after: finished) {
            order.append(job)
            finished = owner
        }
        #expect(order == [1, 10, 20, 2, 3, 4])
    }

    @Test func aCallerMayWantAShorterQueue() {
        var queue = Self.queue(perOwner: 3)
        for job in 0...1 { _ = queue.add(job, of: "a") }
        #expect(queue.hasRoom(for: "a", behindFewerThan: 3) && !queue.hasRoom(for: "a", behindFewerThan: 2))
        _ = queue.add(2, of: "a")
        #expect(!queue.hasRoom(for: "a", behindFewerThan: 9) && queue.hasRoom(for: "b", behindFewerThan: 1))
    }

    @Test func theQueueOfAnOwnerIsBounded() {
        var queue = Self.queue(perOwner: 2)
        _ = queue.add(0, of: "a")
        _ = queue.next(after: nil)
        #expect(queue.add(1, of: "a") == .queued)
        #expect(queue.add(2, of: "a") == .queued)
        #expect(queue.add(3, of: "a") == .overloaded)
        #expect(queue.add(4, of: "b") == .startThread)
        // When one has run, another may wait.
        #expect(queue.next(after: "a")?.job == 4)
        #expect(queue.next(after: "b")?.job == 1)
        #expect(queue.add(5, of: "a") == .queued)
    }

    @Test func allJobsTogetherAreBounded() {
        var queue = Self.queue(waiting: 3)
        for (job, owner) in ["a", "b", "c"].enumerated() { #expect(queue.add(job, of: owner) != .overloaded) }
        #expect(queue.add(3, of: "d") == .overloaded)
    }

    @Test func anEndedThreadIsStartedAgain() {
        var queue = Self.queue(threads: 1)
        #expect(queue.add(1, of: "a") == .startThread)
        #expect(queue.next(after: nil)?.job == 1)
        #expect(queue.next(after: "a") == nil)
        #expect(queue.add(2, of: "a") == .startThread)
    }
}

/// A cache of bounded size.
@Suite struct ByteCacheTests {
    @Test func theValuesThatWereUsedLastAreKept() {
        var cache = ByteCache<String, Int>(maxBytes: 100)
        cache.insert(1, for: "a", bytes: 40)
        cache.insert(2, for: "b", bytes: 40)
        #expect(cache["a"] == 1)
        cache.insert(3, for: "c", bytes: 40)
        #expect(cache["b"] == nil)
        #expect(cache["a"] == 1)
        #expect(cache["c"] == 3)
        #expect(cache.bytes == 80)
    }

    @Test func aValueReplacesTheEarlierOne() {
        var cache = ByteCache<String, Int>(maxBytes: 100)
        cache.insert(1, for: "a", bytes: 90)
        cache.insert(2, for: "a", bytes: 50)
        #expect(cache["a"] == 2)
        #expect(cache.bytes == 50)
    }

    @Test func aValueThatIsTooLargeIsNotKept() {
        var cache = ByteCache<String, Int>(maxBytes: 100)
        cache.insert(1, for: "a", bytes: 60)
        cache.insert(2, for: "b", bytes: 101)
        #expect(cache["b"] == nil)
        #expect(cache["a"] == 1)
    }

    @Test func thereAreNoMoreValuesThanMayBe() {
        var cache = ByteCache<Int, Int>(maxBytes: 100, maxCount: 3)
        for number in 0..<10 { cache.insert(number, for: number, bytes: 1) }
        #expect((0..<10).filter { cache[$0] != nil } == [7, 8, 9])
    }
}
