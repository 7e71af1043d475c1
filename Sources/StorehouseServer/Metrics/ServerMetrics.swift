import HTTP
import HTTPServer
import Observability
import Platform
import Sockets
import StoreHosting
import Stores
import Synchronization

/// What the server has counted and measured since its start.
///
/// Every set of labels is bounded: a route is a path template, a kind is a hosted one, and names and codes of effects are
/// shown up to a number.
final class ServerMetrics: Sendable {
    let events = Counters<EventResult>()
    let sessions = Counters<SessionEvent>()
    let effects = EffectCounts()
    private let requests = RequestDurations()
    private let problems = Counters<Problem.Code>()
    private let storageTransactions = DurationHistogram()
    private let resumedStreams = Atomic(0)
    private let openedStreams = Atomic(0)
    private let closedStreams = Atomic(0)

    /// What became of an event on its way to one stream.
    enum EventResult: String, CaseIterable {
        case sent
        /// The client was too slow for this change of the state, and got it with a later event.
        case merged
        /// The client was too slow for this event of an effect, and does not get it.
        case skipped
    }

    func count(_ request: FinishedRequest) {
        requests.add(request)
        if let code = request.code { problems.add(to: code) }
    }

    func streamOpened(isResumed: Bool) {
        openedStreams.add(1, ordering: .relaxed)
        if isResumed { resumedStreams.add(1, ordering: .relaxed) }
    }

    func streamClosed() { closedStreams.add(1, ordering: .relaxed) }

    func storageWritten(in duration: Duration) {
        storageTransactions.add(nanoseconds: Int(clamping: duration.wholeNanoseconds))
    }

    func write(into text: inout PrometheusWriter) {
        requests.write(into: &text)
        problems.write(
            "storehouse_problems_total", "Refused requests, by the code of the problem.", "code", into: &text)
        effects.write(into: &text)
        events.write("storehouse_events_total", "Events for streams, by what became of them.", "result", into: &text)
        let closed = closedStreams.load(ordering: .relaxed)
        let opened = openedStreams.load(ordering: .relaxed)
        text.counter("storehouse_event_streams_opened_total", "Opened event streams.", opened)
        text.counter(
            "storehouse_stream_resumes_total", "Event streams that were opened with the id of an earlier event.",
            resumedStreams.load(ordering: .relaxed))
        text.gauge("storehouse_event_streams", "Open event streams.", max(0, opened - closed))
        sessions.write("storehouse_sessions_total", "Changes in the lives of sessions.", "event", into: &text)
        text.histogram(
            "storehouse_storage_transaction_duration_seconds",
            "Duration of written transactions, each with the commits of one or more sessions.", storageTransactions)
    }
}

/// A change in the life of a session.
package enum SessionEvent: String, CaseIterable, Sendable {
    /// By a request, also as a fork.
    case created
    /// By a request.
    case ended
    /// Because nobody has used it.
    case expired
    /// It left the memory and continues from its journal.
    case hibernated
    /// It was loaded from its journal.
    case woken
}

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
        if let forwarder {
            text.gauge(
                "storehouse_cluster_sessions_owned",
                "Sessions of this node that are in memory. Those that it owns in storage only are not counted.",
                registry.residentCount)
            text.counter(
                "storehouse_cluster_forwarded_requests_total",
                "Requests that were sent to the nodes that have their sessions.", forwarder.count)
            text.counter(
                "storehouse_cluster_joined_streams_total",
                "Streams of other nodes' sessions that share their events with other streams of this node.",
                forwarder.joinedStreamCount)
        }
        if let handovers {
            text.counter(
                "storehouse_cluster_handovers_total",
                "Sessions that were handed over to the nodes that forwarded the requests for them.", handovers.count)
        }
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
            "Connections that were closed because their clients took nothing when the output reached its budget.",
            output.disconnectedClients)
    }
}
