package import Observability
import Platform
package import RedisJournal

/// The metrics of the storage on Redis that `GET /metrics` shows.
package struct RedisMetrics: Sendable {
    private let journal: RedisJournal
    private let latency = DurationHistogram()

    package init(_ journal: RedisJournal) {
        self.journal = journal
        journal.observeLatency { [latency] in latency.add(nanoseconds: Int(clamping: $0.wholeNanoseconds)) }
    }

    package func write(into metrics: inout PrometheusWriter) {
        metrics.gauge("storehouse_cluster_nodes", "Nodes whose leases hold.", journal.nodeCount)
        metrics.counter(
            "storehouse_cluster_takeovers_total", "Sessions claimed from nodes that had not given them back.",
            journal.takeoverCount)
        metrics.counter(
            "storehouse_cluster_conflicts_total", "Commands refused because another claim or commit came before.",
            journal.conflictCount)
        metrics.histogram("storehouse_redis_latency_seconds", "Time that Redis took to answer.", latency)
    }
}
