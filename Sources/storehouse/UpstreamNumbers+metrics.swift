import StorehouseServer
import Stores
import Upstream

extension UpstreamNumbers {
    func write(into text: inout MetricsText) {
        let labels = [("upstream", name)]
        text.counter("storehouse_upstream_calls_total", "Calls of remote services.", calls, labels: labels)
        text.counter("storehouse_upstream_retries_total", "Calls that were tried once more.", retries, labels: labels)
        for (digit, count) in answers.sorted(by: { $0.key < $1.key }) {
            text.counter(
                "storehouse_upstream_answers_total", "Answers of remote services, by status.",
                count,
                labels: labels + [("status", "\(digit)xx")])
        }
        for (code, count) in failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.counter(
                "storehouse_upstream_failures_total", "Calls of remote services that failed, by code.",
                count,
                labels: labels + [("code", code.rawValue)])
        }
        for circuit in Circuit.allCases {
            text.gauge(
                "storehouse_upstream_circuit", "1 for how the circuit to a remote service stands.",
                circuit == self.circuit ? 1 : 0,
                labels: labels + [("state", circuit.rawValue)])
        }
        text.gauge(
            "storehouse_upstream_calls_in_flight", "Calls of remote services under way.", inFlight, labels: labels)
        text.gauge("storehouse_upstream_calls_waiting", "Calls of remote services in line.", waiting, labels: labels)
        text.histogram(
            "storehouse_upstream_call_seconds", "How long calls of remote services took.",
            bounds: LatencyHistogram.bounds, counts: latency.counts, sum: latency.sum, labels: labels)
    }
}
