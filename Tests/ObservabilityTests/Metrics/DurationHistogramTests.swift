import Observability
import Testing

struct DurationHistogramTests {
    private static let bounds = [
        10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 5_000_000, 10_000_000,
    ].map { $0 * 1000 }

    /// The index of the only bucket with a count.
    private static func bucket(of nanoseconds: Int) -> Int? {
        let histogram = DurationHistogram()
        histogram.add(nanoseconds: nanoseconds)
        let counts = histogram.counts
        #expect(counts.count == bounds.count + 1)
        #expect(counts.reduce(0, +) == 1)
        return counts.firstIndex(of: 1)
    }

    @Test(arguments: bounds)
    func aBoundBelongsToItsBucket(_ bound: Int) {
        let index = Self.bounds.firstIndex(of: bound)
        #expect(Self.bucket(of: bound - 1) == index)
        #expect(Self.bucket(of: bound) == index)
        #expect(Self.bucket(of: bound + 1) == index.map { $0 + 1 })
    }

    @Test func everyDurationIsInTheFirstBucketThatHoldsIt() {
        let powers = (0..<62).flatMap { [(1 << $0) - 1, 1 << $0, (1 << $0) + 1] }
        for duration in powers + [0, .max] + (0..<200).map({ _ in .random(in: 0...20_000_000_000) }) {
            let right = Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count
            #expect(Self.bucket(of: duration) == right, "\(duration)")
        }
        #expect(Self.bucket(of: -5) == 0)
    }

    @Test func itIsWrittenInSeconds() {
        let histogram = DurationHistogram()
        for duration in [20_000, 1_500_000_000, 60_000_000_000] { histogram.add(nanoseconds: duration) }
        var writer = PrometheusWriter()
        writer.histogram("x_seconds", "X.", histogram)
        let lines = String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("x_seconds_bucket{le=\"1e-05\"} 0"))
        #expect(lines.contains("x_seconds_bucket{le=\"2.5e-05\"} 1"))
        #expect(lines.contains("x_seconds_bucket{le=\"2.5\"} 2"))
        #expect(lines.contains("x_seconds_bucket{le=\"+Inf\"} 3"))
        #expect(lines.contains("x_seconds_sum 61.50002"))
        #expect(lines.contains("x_seconds_count 3"))
    }
}
