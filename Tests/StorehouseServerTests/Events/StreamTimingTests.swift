import HTTPServer
import StorehouseServer
import Testing

/// What streams do by the clock, and how it is spread.
@Suite struct StreamTimingTests {
    private static let randoms = stride(from: 0, through: 1, by: 0.125)

    @Test func aSilenceIsBrokenALittleBeforeItIsTooLong() {
        let silences = Self.randoms.map { StreamTiming.silence(.seconds(15), $0) }
        #expect(silences.allSatisfy { $0 >= .seconds(13.5) && $0 < .seconds(15) })
        #expect(zip(silences, silences.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func aStreamLivesFromFourFifthsOfItsTimeToAllOfIt() throws {
        let lifetimes = Self.randoms.compactMap { StreamTiming.lifetime(.seconds(100), $0) }
        #expect(lifetimes.count == 9)
        #expect(lifetimes.allSatisfy { $0 >= .seconds(80) && $0 <= .seconds(100) })
        #expect(zip(lifetimes, lifetimes.dropFirst()).allSatisfy { $0 < $1 })
        #expect(StreamTiming.lifetime(.zero, 0.5) == nil)
    }

    @Test func clientsComeBackAtTimesOfTheirOwn() {
        #expect(Self.randoms.map { StreamTiming.retry($0) }.allSatisfy { (2000...3000).contains($0) })
        let retries = Self.randoms.map { StreamTiming.retry(whereAllEnd: true, $0) }
        #expect(retries.allSatisfy { (2000...6000).contains($0) })
        #expect(Set(Self.randoms.map { StreamTiming.retry($0) }).count == 9)
    }

    @Test(arguments: [1, 10_000, 3_600_000])
    func aHandfulOfStreamsIsToldAtOnceThatTheServerDrains(_ milliseconds: Int) {
        for count in 0...100 {
            #expect(DrainSchedule(count, within: .milliseconds(milliseconds)).batch == max(1, count))
        }
    }

    @Test(arguments: [101, 150, 1000, 7500, 100_000], [1, 400, 2000, 10_000, 3_600_000])
    func aCrowdIsToldWithinAQuarterOfTheTime(_ count: Int, _ milliseconds: Int) {
        let timeout = Duration.milliseconds(milliseconds)
        let pace = DrainSchedule(count, within: timeout)
        let pauses = (count - 1) / pace.batch
        #expect(DrainSchedule.pause * pauses <= timeout / 4)
        // Nobody waits for nothing: a thousand of them go in a second.
        #expect(DrainSchedule.pause * pauses <= .milliseconds(count))
        if milliseconds == 10_000 { #expect(pauses >= 4) }
    }
}
