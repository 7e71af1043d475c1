import StorehouseServer
import Testing

/// The durations of streams, and how they are spread at random.
@Suite struct StreamTimingTests {
    private static let randoms = stride(from: 0, through: 1, by: 0.125)

    @Test func heartbeatIntervalsAreALittleShorterThanConfigured() {
        let intervals = Self.randoms.map { StreamTiming.heartbeatInterval(.seconds(15), $0) }
        #expect(intervals.allSatisfy { $0 >= .seconds(13.5) && $0 < .seconds(15) })
        #expect(zip(intervals, intervals.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func lifetimesAreFourFifthsOfTheMaximumOrLonger() throws {
        let lifetimes = Self.randoms.compactMap { StreamTiming.lifetime(.seconds(100), $0) }
        #expect(lifetimes.count == 9)
        #expect(lifetimes.allSatisfy { $0 >= .seconds(80) && $0 <= .seconds(100) })
        #expect(zip(lifetimes, lifetimes.dropFirst()).allSatisfy { $0 < $1 })
        #expect(StreamTiming.lifetime(.zero, 0.5) == nil)
    }

    @Test func retryTimesAreSpread() {
        #expect(Self.randoms.map { StreamTiming.retry($0) }.allSatisfy { (2000...3000).contains($0) })
        #expect(Set(Self.randoms.map { StreamTiming.retry($0) }).count == 9)
    }

    /// One client comes back soon. Many come back over several seconds.
    @Test(arguments: [(1, 1000...1004), (100, 1000...1400), (1000, 1000...5000), (1_000_000, 1000...6000)])
    func retryTimesAreSpreadByTheNumberOfStreams(_ count: Int, _ range: ClosedRange<Int>) {
        let retries = Self.randoms.map { StreamTiming.retry(among: count, $0) }
        #expect(retries.first == range.lowerBound && retries.last == range.upperBound)
        #expect(retries.allSatisfy { range.contains($0) })
    }
}
