import Threads

/// A histogram of durations that many threads add to at the same time, without a lock.
///
/// The bounds are fixed. A power of two and the next have at most one bound between them, so the number of bits of a duration
/// and one comparison find its bucket.
package final class DurationHistogram: Sendable {
    /// The upper bounds of the buckets in nanoseconds, from 10 µs to 10 s. One more bucket counts what is longer.
    static let bounds = [
        10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
        50_000_000, 100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]

    /// The bucket of the least duration with so many bits, and the upper bound of that bucket.
    private static let firstBuckets: [(bucket: Int, bound: Int)] = (0...Int.bitWidth).map { width in
        let least = width == 0 ? 0 : width == Int.bitWidth ? Int.max : 1 << (width - 1)
        let bucket = bounds.firstIndex { least <= $0 } ?? bounds.count
        return (bucket, bucket < bounds.count ? bounds[bucket] : .max)
    }

    // The buckets, and behind them the sum in nanoseconds.
    private let cells = StripedCounters(count: bounds.count + 2)
    private let firstBuckets = DurationHistogram.firstBuckets

    package init() {}

    /// Adds a duration. A negative one counts as 0.
    package func add(nanoseconds: Int) {
        let duration = max(0, nanoseconds)
        let (bucket, bound) = firstBuckets[Int.bitWidth - duration.leadingZeroBitCount]
        cells.add(to: duration > bound ? bucket + 1 : bucket)
        if duration > 0 { cells.add(duration, to: Self.sumIndex) }
    }

    private static var sumIndex: Int { bounds.count + 1 }

    /// The number of durations in each bucket, without those below.
    package var counts: [Int] { (0..<Self.sumIndex).map { cells[$0] } }

    /// The sum of all durations in seconds.
    package var sum: Double { Double(cells[Self.sumIndex]) / 1e9 }
}

extension PrometheusWriter {
    /// Adds the samples of a histogram of durations, in seconds.
    package mutating func histogram(
        _ name: String, _ help: String, _ durations: DurationHistogram, labels: [(String, String)] = []
    ) {
        histogram(
            name, help, bounds: DurationHistogram.bounds.map { Double($0) / 1e9 }, counts: durations.counts,
            sum: durations.sum, labels: labels)
    }
}
