import Sessions
import Testing

/// The decisions of rate limits, without a clock and without sockets.
@Suite struct RateLimiterTests {
    private static let second: Int64 = 1_000_000_000

    /// Takes one token after the other, and returns how many are admitted at `now`.
    private func admitted(_ bucket: TokenBucket, _ fullAt: inout Int64, now: Int64) -> Int {
        var count = 0
        while case .admitted(let next) = bucket.take(1, fullAt: fullAt, now: now) {
            fullAt = next
            count += 1
        }
        return count
    }

    @Test(arguments: [(10.0, 20), (0.5, 1), (1000, 1), (0.001, 3), (1_000_000, 1000), (3, 7)])
    func aBurstAndThenTheRate(rate: Double, burst: Int) {
        let bucket = TokenBucket(rate: rate, burst: burst)
        var now = 5 * Self.second
        var fullAt: Int64 = 0
        #expect(admitted(bucket, &fullAt, now: now) == burst)
        // Half a token is none. Two make one.
        let half = Int64(0.5 / rate * 1e9)
        now += half
        #expect(admitted(bucket, &fullAt, now: now) == 0)
        now += half + 2
        #expect(admitted(bucket, &fullAt, now: now) == 1)
        now += Int64(2e9 / rate * Double(burst))
        #expect(admitted(bucket, &fullAt, now: now) == burst)
    }

    /// The time that a refusal names is exact: a nanosecond earlier is refused, and then it is admitted.
    @Test(arguments: [1, 2, 5, 100])
    func aRefusalNamesTheTrueTime(count: Int) throws {
        let bucket = TokenBucket(rate: 7, burst: 5)
        var fullAt: Int64 = 0
        let now: Int64 = 99
        _ = admitted(bucket, &fullAt, now: now)
        guard case .refused(let wait) = bucket.take(count, fullAt: fullAt, now: now) else {
            Issue.record("not refused")
            return
        }
        #expect(wait > 0)
        #expect(bucket.take(count, fullAt: fullAt, now: now + wait - 1) == .refused(nanoseconds: 1))
        guard case .admitted = bucket.take(count, fullAt: fullAt, now: now + wait) else {
            Issue.record("not admitted in time")
            return
        }
    }

    /// A batch larger than the burst waits for a full bucket, and what follows waits for the debt.
    @Test func aLargeBatchIsPaidOff() {
        let bucket = TokenBucket(rate: 1, burst: 5)
        guard case .admitted(let fullAt) = bucket.take(20, fullAt: 0, now: 0) else {
            Issue.record("not admitted")
            return
        }
        #expect(bucket.take(1, fullAt: fullAt, now: 0) == .refused(nanoseconds: 16 * Self.second))
        #expect(bucket.take(20, fullAt: fullAt, now: 19 * Self.second) == .refused(nanoseconds: Self.second))
        #expect(bucket.take(20, fullAt: fullAt, now: 20 * Self.second) == .admitted(fullAt: 40 * Self.second))
    }

    @Test func theLargestLimitsDoNotOverflow() {
        let bucket = TokenBucket(rate: 0, burst: .max)
        let now = Int64(100 * 366 * 86_400) * Self.second
        var fullAt: Int64 = 0
        for _ in 0..<20_000 {
            if case .admitted(let next) = bucket.take(100, fullAt: fullAt, now: now) { fullAt = next }
        }
        #expect(fullAt > now)
        guard case .refused(let wait) = bucket.take(100, fullAt: fullAt, now: now) else {
            Issue.record("not refused")
            return
        }
        #expect(wait > 0)
    }

    @Test func eachKeyHasItsOwnBucket() {
        var table = BucketTable<Int>(TokenBucket(rate: 1, burst: 2))
        for key in 0..<100 {
            #expect(table.take(1, from: key, now: 0) == nil)
            #expect(table.take(1, from: key, now: 0) == nil)
            #expect(table.take(1, from: key, now: 0) == Self.second)
        }
        #expect(table.count == 100)
        #expect(table.take(1, from: 7, now: Self.second) == nil)
    }

    /// The table stays as large as it is, and no key is refused for the requests of others.
    @Test func manyKeysNeedNoMoreMemoryAndHurtNoOther() {
        var table = BucketTable<Int>(TokenBucket(rate: 1, burst: 2), capacity: 64)
        var random = SystemRandomNumberGenerator()
        for now in 0..<50_000 {
            let key = Int.random(in: .min ... .max, using: &random)
            #expect(table.take(1, from: key, now: Int64(now)) == nil)
        }
        #expect(table.count <= 64)
    }

    /// A client with few addresses cannot forget its own use by using them: the emptiest bucket is the last to go.
    @Test func anEmptyBucketSurvivesAFloodOfOthers() {
        var table = BucketTable<Int>(TokenBucket(rate: 1, burst: 10), capacity: 64)
        for _ in 0..<10 { _ = table.take(1, from: -1, now: 0) }
        #expect(table.take(1, from: -1, now: 0) == Self.second)
        for key in 0..<10_000 { #expect(table.take(1, from: key, now: 0) == nil) }
        #expect(table.take(1, from: -1, now: 0) == Self.second)
    }
}
