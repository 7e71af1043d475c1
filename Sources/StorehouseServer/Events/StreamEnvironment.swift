import HTTP
import HTTPServer
import Sessions
import StoreHosting

/// The settings of all event streams, and where their ends are counted and logged.
final class StreamEnvironment: Sendable {
    let settings: EventStream.Settings
    let metrics: ServerMetrics
    let recorder: RequestRecorder
    private let clock: SessionClock

    init(_ settings: EventStream.Settings, clock: SessionClock, _ metrics: ServerMetrics, _ recorder: RequestRecorder) {
        self.settings = settings
        self.clock = clock
        self.metrics = metrics
        self.recorder = recorder
    }

    /// A stream is over, for whatever reason.
    ///
    /// - Parameters:
    ///   - byteCount: how much its client was sent.
    ///   - connection: that of the stream, if it has begun.
    func ended(
        _ stream: EventStream, of session: Session, at lastSentRevision: Int, _ byteCount: Int,
        _ connection: (any RequestSource)?
    ) {
        // A watched session is in use until its last stream ends.
        session.touch(clock.now())
        guard let connection else { return }
        metrics.streamClosed()
        guard let client = stream.client else { return }
        var request = FinishedRequest(
            method: .get, route: stream.route, status: .ok, since: connection.requestStartedAt)
        request.bytes = byteCount
        request.revision = lastSentRevision
        request.isCut = connection.isCut
        recorder.writeLine(request, of: client, watching: session, on: connection)
    }
}
