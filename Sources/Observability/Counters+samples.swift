package import Threads

extension Counters {
    /// Writes the samples of all counters, also of those that are 0.
    package func write(
        _ name: String, _ help: String, _ label: String, labels others: [(String, String)] = [],
        into text: inout PrometheusWriter
    ) {
        for (value, count) in counts { text.counter(name, help, count, labels: others + [(label, value)]) }
    }
}
