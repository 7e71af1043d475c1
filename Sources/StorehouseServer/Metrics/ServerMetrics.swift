import HTTP
import Observability
import Sockets
import StoreHosting
import Stores
import Synchronization

/// The counters of a running server.
final class ServerMetrics: Sendable {
    private let informational = Atomic(0)
    private let successful = Atomic(0)
    private let redirections = Atomic(0)
    private let clientErrors = Atomic(0)
    private let serverErrors = Atomic(0)
    private let openedStreams = Atomic(0)
    private let closedStreams = Atomic(0)
    private let createdSessions = Atomic(0)

    /// A response, or the head of a stream, is sent.
    func recordStatus(_ status: HTTPStatus) {
        switch status.rawValue {
        case ..<200: informational.add(1, ordering: .relaxed)
        case ..<300: successful.add(1, ordering: .relaxed)
        case ..<400: redirections.add(1, ordering: .relaxed)
        case ..<500: clientErrors.add(1, ordering: .relaxed)
        default: serverErrors.add(1, ordering: .relaxed)
        }
    }

    func sessionCreated() { createdSessions.add(1, ordering: .relaxed) }
    func streamOpened() { openedStreams.add(1, ordering: .relaxed) }
    func streamClosed() { closedStreams.add(1, ordering: .relaxed) }

    func write(into text: inout PrometheusWriter) {
        let responses = [
            ("1xx", informational.load(ordering: .relaxed)), ("2xx", successful.load(ordering: .relaxed)),
            ("3xx", redirections.load(ordering: .relaxed)), ("4xx", clientErrors.load(ordering: .relaxed)),
            ("5xx", serverErrors.load(ordering: .relaxed)),
        ]
        for (status, count) in responses {
            text.counter(
                "storehouse_http_responses_total", "Responses, by class of status.", count,
                labels: [("status", status)])
        }
        text.counter(
            "storehouse_sessions_created_total", "Created sessions, including forks.",
            createdSessions.load(ordering: .relaxed))
        let closed = closedStreams.load(ordering: .relaxed)
        let opened = openedStreams.load(ordering: .relaxed)
        text.counter("storehouse_event_streams_opened_total", "Opened event streams.", opened)
        text.gauge("storehouse_event_streams", "Open event streams.", max(0, opened - closed))
    }
}

extension API {
    /// Responds to `GET /metrics`.
    func readMetrics() -> Response {
        var text = PrometheusWriter()
        metrics.write(into: &text)
        text.gauge(
            "storehouse_sessions", "Sessions that have not ended.", registry.sessionCount)
        text.gauge("storehouse_sessions_resident", "Sessions in memory.", registry.residentCount)
        text.gauge("storehouse_draining", "1 while the server is shutting down.", isDraining ? 1 : 0)
        if let journal {
            text.gauge("storehouse_storage_available", "1 while commits can be persisted.", journal.isAvailable ? 1 : 0)
            text.counter(
                "storehouse_storage_transactions_total",
                "Written transactions, each with the commits of one or more sessions.",
                journal.transactionCount)
        }
        text.gauge(
            "storehouse_http_output_bytes", "Bytes that wait to be sent, of all connections.", output.pendingBytes)
        text.counter(
            "storehouse_http_slow_clients_total",
            "Connections that were closed because their clients took nothing when the output reached its budget.",
            output.disconnectedClients)
        text.counter(
            "storehouse_log_lines_lost_total", "Log lines that were lost because their reader is too slow.",
            log.lostLines)
        additionalMetrics?(&text)
        ProcessMetrics.write(into: &text)
        return Response(
            .ok, contentType: "text/plain; version=0.0.4; charset=utf-8",
            fields: [.init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff")], body: text.bytes)
    }
}
