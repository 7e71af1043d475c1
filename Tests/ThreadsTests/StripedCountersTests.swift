import Dispatch
import Testing
import Threads

struct StripedCountersTests {
    @Test func noAdditionOfAnyThreadIsLost() {
        let counters = StripedCounters(count: 20)
        DispatchQueue.concurrentPerform(iterations: 64) { thread in
            for _ in 0..<1000 {
                counters.add(to: thread % 20)
                counters.add(-2, to: 19)
            }
        }
        for index in 0..<19 {
            // Threads 0 to 63: of the first four indices four, of the others three.
            #expect(counters[index] == (index < 4 ? 4 : 3) * 1000)
        }
        #expect(counters[19] == 3 * 1000 - 2 * 64_000)
    }

    @Test func countersBeginAtZeroAndAreApart() {
        let counters = StripedCounters(count: 3)
        counters.add(5, to: 1)
        #expect((0..<3).map { counters[$0] } == [0, 5, 0])
        #expect(StripedCounters(count: 1)[0] == 0)
    }
}
