/// When a stream does what it does by the clock.
///
/// All of it is spread at random, so that streams that were opened together do not go on together. `random` is between 0 and 1.
package enum StreamTiming {
    /// How long a stream is silent before a comment breaks it: a little less than `heartbeat`.
    package static func silence(_ heartbeat: Duration, _ random: Double) -> Duration {
        heartbeat * (0.9 + 0.09 * random)
    }

    /// How long a stream lives: from 80% of the longest on; nil for ever.
    package static func lifetime(_ longest: Duration, _ random: Double) -> Duration? {
        longest > .zero ? longest * (0.8 + 0.2 * random) : nil
    }

    /// How long a client waits before it connects again, in milliseconds: two seconds and a bit, longer where all streams end.
    package static func retry(whereAllEnd: Bool = false, _ random: Double) -> Int {
        2000 + Int((whereAllEnd ? 4000 : 1000) * random)
    }
}

extension Double {
    /// Between 0 and 1.
    static var jitter: Double { .random(in: 0...1) }
}
