import HTTP
import HTTPServer
import Observability
import Platform
import Sessions
import Sockets
import StoreHosting
import Stores
import Synchronization
import Threads

/// The counts and measurements of the server since its start.
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

    /// The end of an event on its way to one stream.
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
