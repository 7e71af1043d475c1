import Observability
import RemoteServices
import Upstream

extension UpstreamMetricsSnapshot {
    func write(into metrics: inout PrometheusWriter) {
        let labels = [("upstream", name)]
        metrics.counter("storehouse_upstream_calls_total", "Calls of remote services.", calls, labels: labels)
        metrics.counter("storehouse_upstream_retries_total", "Retries of calls.", retries, labels: labels)
        for (digit, count) in answers.sorted(by: { $0.key < $1.key }) {
            metrics.counter(
                "storehouse_upstream_answers_total", "Responses of remote services, by status.", count,
                labels: labels + [("status", "\(digit)xx")])
        }
        for (code, count) in failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            metrics.counter(
                "storehouse_upstream_failures_total", "Failed calls of remote services, by code.", count,
                labels: labels + [("code", code.rawValue)])
        }
        for circuit in Circuit.allCases {
            metrics.gauge(
                "storehouse_upstream_circuit", "1 for the state of the circuit breaker, 0 for the others.",
                circuit == self.circuit ? 1 : 0, labels: labels + [("state", circuit.rawValue)])
        }
        metrics.gauge(
            "storehouse_upstream_calls_in_flight", "Calls of remote services under way.", inFlight, labels: labels)
        metrics.gauge(
            "storehouse_upstream_calls_waiting", "Calls that wait because too many are under way.", waiting,
            labels: labels)
        metrics.histogram(
            "storehouse_upstream_call_seconds", "Duration of calls of remote services.",
            bounds: LatencyHistogram.bounds, counts: latency.counts, sum: latency.sum, labels: labels)
    }
}
