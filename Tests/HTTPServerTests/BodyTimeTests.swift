import HTTPServer
import Testing

/// How long a body may take.
@Suite struct BodyTimeTests {
    private let time = BodyTime(timeout: .seconds(30), minRate: 100)

    @Test func aBodyHasAGracePeriodAtAnyRate() {
        #expect(time.limit(received: 0) == .seconds(5))
        #expect(time.limit(received: 500) == .seconds(5))
    }

    @Test func eachByteGivesTimeForTheNext() {
        #expect(time.limit(received: 600) == .seconds(6))
        #expect(time.limit(received: 2950) == .milliseconds(29_500))
    }

    @Test func theTimeoutHoldsAtAnyRate() {
        #expect(time.limit(received: 1_000_000) == .seconds(30))
        #expect(BodyTime(timeout: .seconds(2), minRate: 100).limit(received: 0) == .seconds(2))
    }

    @Test func withoutARateOnlyTheTimeoutCounts() {
        #expect(BodyTime(timeout: .seconds(30)).limit(received: 0) == .seconds(30))
    }
}
