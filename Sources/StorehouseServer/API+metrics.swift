import HTTP
import HTTPServer
import Observability
import Platform
import Sessions
import Sockets
import StoreHosting

extension API {
    /// Responds to `GET /metrics`.
    func readMetrics() -> Response {
        var text = PrometheusWriter()
        metrics.write(into: &text)
        for kind in kinds { kind.metrics.write(kind.kind.name, into: &text) }
        writeSessions(into: &text)
        text.gauge("storehouse_draining", "1 while the server is shutting down.", isDraining ? 1 : 0)
        if let journal { Self.write(journal, into: &text) }
        writeTraffic(into: &text)
        text.counter(
            "storehouse_log_lines_dropped_total", "Log lines that were dropped because their reader is too slow.",
            log.lostLines)
        additionalMetrics?(&text)
        text.gauge(
            "storehouse_build_info", "Always 1; the label is the release.", 1,
            labels: [("version", StorehouseVersion.current)])
        ProcessMetrics.write(into: &text)
        return Response(
            .ok, contentType: "text/plain; version=0.0.4; charset=utf-8",
            fields: [.init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff")], body: text.bytes)
    }

    /// Writes how many sessions there are, and what several nodes do with theirs.
    private func writeSessions(into text: inout PrometheusWriter) {
        text.gauge("storehouse_sessions", "Sessions that have not ended.", registry.sessionCount)
        text.gauge("storehouse_sessions_resident", "Sessions in memory.", registry.residentCount)
        writeOwnership(into: &text)
    }

    private static func write(_ journal: any Journal, into text: inout PrometheusWriter) {
        text.gauge("storehouse_storage_available", "1 while commits can be persisted.", journal.isAvailable ? 1 : 0)
        if let bytes = journal.storageBytes {
            text.gauge("storehouse_storage_bytes", "Size of the storage.", bytes)
        }
        if let bytes = journal.walBytes {
            text.gauge("storehouse_storage_wal_bytes", "Size of the write-ahead log of the storage.", bytes)
        }
    }

    /// Writes what the budgets of input and output hold, and what they have cut.
    private func writeTraffic(into text: inout PrometheusWriter) {
        text.gauge(
            "storehouse_http_output_bytes", "Bytes that wait to be sent, of all connections.", output.pendingBytes)
        text.gauge(
            "storehouse_http_input_bytes",
            "Bytes of requests that have not arrived completely or wait behind others, and of large bodies in progress.",
            input.heldBytes)
        text.counter(
            "storehouse_http_cut_requests_total",
            "Requests that were cut before they had arrived, because the input reached its budget.", input.cutRequests)
        text.gauge(
            "storehouse_stream_backlog_bytes", "Bytes that wait to be sent, of event streams.",
            output.pendingStreamBytes)
        text.counter(
            "storehouse_http_slow_clients_total",
            "Clients that were disconnected because they took nothing when the output reached its budget.",
            output.disconnectedClients)
    }
}
