import HTTP
import Stores

extension Service {
    /// All numbers, for who has Prometheus or a shell.
    func readMetrics() -> Response {
        var text = MetricsText()
        metrics.write(into: &text)
        text.gauge(
            "storehouse_sessions", "Sessions that have not ended.", max(registry.residents, journal?.sessionCount ?? 0))
        text.gauge("storehouse_sessions_resident", "Sessions in memory.", registry.residents)
        text.gauge("storehouse_draining", "1 while the server is shutting down.", isDraining ? 1 : 0)
        if let journal {
            text.gauge("storehouse_storage_available", "1 while commits can be kept.", journal.isAvailable ? 1 : 0)
            text.counter(
                "storehouse_storage_transactions_total", "Times that commits were written; many go at once.",
                journal.transactionCount)
        }
        moreMetrics?(&text)
        ProcessNumbers.write(into: &text)
        return Response(
            .ok, contentType: "text/plain; version=0.0.4; charset=utf-8",
            fields: [.init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff")], body: text.bytes)
    }
}
