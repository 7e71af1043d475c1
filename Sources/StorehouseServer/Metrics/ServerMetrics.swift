import HTTP
import Observability
import StoreHosting
import Stores
import Synchronization

/// What the server counts while it runs.
final class Metrics: Sendable {
    private let informed = Atomic(0)
    private let successful = Atomic(0)
    private let redirected = Atomic(0)
    private let refused = Atomic(0)
    private let failed = Atomic(0)
    private let opened = Atomic(0)
    private let closed = Atomic(0)
    private let begun = Atomic(0)

    /// An answer, or the head of a stream, has been given.
    func answered(_ status: HTTPStatus) {
        switch status.rawValue {
        case ..<200: informed.add(1, ordering: .relaxed)
        case ..<300: successful.add(1, ordering: .relaxed)
        case ..<400: redirected.add(1, ordering: .relaxed)
        case ..<500: refused.add(1, ordering: .relaxed)
        default: failed.add(1, ordering: .relaxed)
        }
    }

    func sessionBegan() { begun.add(1, ordering: .relaxed) }
    func streamOpened() { opened.add(1, ordering: .relaxed) }
    func streamClosed() { closed.add(1, ordering: .relaxed) }

    func write(into text: inout PrometheusWriter) {
        let answers = [
            ("1xx", informed.load(ordering: .relaxed)), ("2xx", successful.load(ordering: .relaxed)),
            ("3xx", redirected.load(ordering: .relaxed)), ("4xx", refused.load(ordering: .relaxed)),
            ("5xx", failed.load(ordering: .relaxed)),
        ]
        for (status, count) in answers {
            text.counter(
                "storehouse_http_responses_total", "Requests that were answered, by status.", count,
                labels: [("status", status)])
        }
        text.counter(
            "storehouse_sessions_created_total", "Sessions that were created, forks among them.",
            begun.load(ordering: .relaxed))
        let closed = closed.load(ordering: .relaxed)
        let opened = opened.load(ordering: .relaxed)
        text.counter("storehouse_event_streams_opened_total", "Event streams that were opened.", opened)
        text.gauge("storehouse_event_streams", "Event streams that are open.", max(0, opened - closed))
    }
}

extension API {
    /// All numbers, for who has Prometheus or a shell.
    func readMetrics() -> Response {
        var text = PrometheusWriter()
        metrics.write(into: &text)
        text.gauge(
            "storehouse_sessions", "Sessions that have not ended.", registry.sessionCount)
        text.gauge("storehouse_sessions_resident", "Sessions in memory.", registry.residentCount)
        text.gauge("storehouse_draining", "1 while the server is shutting down.", isDraining ? 1 : 0)
        if let journal {
            text.gauge("storehouse_storage_available", "1 while commits can be kept.", journal.isAvailable ? 1 : 0)
            text.counter(
                "storehouse_storage_transactions_total", "Times that commits were written; many go at once.",
                journal.transactionCount)
        }
        additionalMetrics?(&text)
        ProcessMetrics.write(into: &text)
        return Response(
            .ok, contentType: "text/plain; version=0.0.4; charset=utf-8",
            fields: [.init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff")], body: text.bytes)
    }
}
