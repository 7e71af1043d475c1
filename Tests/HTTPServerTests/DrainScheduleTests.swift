import HTTPServer
import Testing

/// How a drain spreads the ends of streams over its time.
@Suite struct DrainScheduleTests {
    @Test(arguments: [1, 10_000, 3_600_000])
    func upToAHundredStreamsEndAtOnce(_ milliseconds: Int) {
        for count in 0...100 {
            let schedule = DrainSchedule(streamCount: count, timeout: .milliseconds(milliseconds))
            #expect(schedule.batchSize == max(1, count))
        }
    }

    @Test(arguments: [101, 150, 1000, 7500, 100_000], [1, 400, 2000, 10_000, 3_600_000])
    func moreStreamsEndWithinAQuarterOfTheTimeout(_ count: Int, _ milliseconds: Int) {
        let timeout = Duration.milliseconds(milliseconds)
        let intervals = (count - 1) / DrainSchedule(streamCount: count, timeout: timeout).batchSize
        #expect(DrainSchedule.interval * intervals <= timeout / 4)
        // No longer than needed: a thousand streams end within a second.
        #expect(DrainSchedule.interval * intervals <= .milliseconds(count))
        if milliseconds == 10_000 { #expect(intervals >= 4) }
    }

    @Test func deferredResponsesAreSentInTimeToArrive() {
        let schedule = DrainSchedule(streamCount: 7500, timeout: .seconds(10))
        #expect(schedule.respondsAfter == .seconds(8))
        #expect(schedule.closesAfter == .seconds(10))
    }
}
