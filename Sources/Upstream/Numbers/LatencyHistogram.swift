/// Lengths of time, counted by how long they are.
package struct LatencyHistogram: Sendable, Equatable {
    /// The upper bounds in seconds; what is longer than the last is counted behind them.
    package static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// How many fell into each, not counting those below.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    /// All of them together, in seconds.
    package private(set) var sum = 0.0

    package init() {}

    /// How many there are.
    package var count: Int { counts.reduce(0, +) }

    package mutating func add(_ length: Duration) {
        let seconds = max(length / .seconds(1), 0)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }
}
