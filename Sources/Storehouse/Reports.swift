import Journal
import Observability
import RemoteServices
import Upstream

// What storage and remote services report, as log lines and as metrics.
extension Log {
    func write(_ event: StorageEvent) {
        switch event {
        case .upgrading(let old, let new):
            info("upgrading the storage file", [.init("from", old), .init("to", new)])
        case .failed(let detail):
            error(
                "storage cannot be written; check that storage.path is writable and has space",
                [.init("detail", detail)])
        case .recovered: warning("storage can be written again")
        case .damaged(let session, let detail):
            error(
                "the rows of a session are damaged; it cannot be used",
                [.init("session", String(session.prefix(6)) + "…"), .init("detail", detail)])
        }
    }

    /// Writes a line about a remote call, without its address and its body.
    func write(_ event: UpstreamEvent) {
        switch event {
        case .attempt(let upstream, let method, let number, let outcome, let duration):
            debug(
                "upstream call",
                [
                    LogField("upstream", upstream), .init("method", method), .init("attempt", number),
                    .init("seconds", duration),
                ] + Self.fields(outcome))
        case .circuit(let upstream, let circuit):
            let fields = [LogField("upstream", upstream), .init("circuit", circuit.rawValue)]
            circuit == .open ? warning("circuit", fields) : info("circuit", fields)
        }
    }

    private static func fields(_ outcome: UpstreamEvent.Outcome) -> [LogField] {
        switch outcome {
        case .answered(let status): [LogField("status", status)]
        case .failed(let code, let library):
            [LogField("code", code.rawValue)] + (library.map { [LogField("curl", $0)] } ?? [])
        }
    }
}

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
