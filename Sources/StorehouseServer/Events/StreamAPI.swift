import HTTP
import HTTPServer
import Observability
import Sockets
import StoreHosting
import Stores

/// Opens event streams on sessions.
final class StreamAPI: Sendable {
    private let access: SessionAccess
    private let availability: Availability
    private let settings: EventStream.Settings
    private let clock: WallClock
    private let log: Log
    private let metrics: Metrics

    init(
        _ access: SessionAccess, _ availability: Availability, _ settings: EventStream.Settings, clock: WallClock,
        log: Log, _ metrics: Metrics
    ) {
        self.access = access
        self.availability = availability
        self.settings = settings
        self.clock = clock
        self.log = log
        self.metrics = metrics
    }

    func open(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try access.authorizedSession(id, context, ifEnded: Self.answerEnded, openStream)
    }

    /// 204, and nothing else, stops a browser's EventSource for good.
    private static func answerEnded(_ context: RequestContext) { context.answer(Response(.noContent)) }

    private func openStream(_ session: Session, _ context: RequestContext) throws(Problem) {
        try availability.requireServing()
        let view = StreamSubscription(
            selection: try context.head.selection(for: session.kind), form: try Self.form(context.head))
        let text = context.head.fields.first("last-event-id") ?? context.head.query.first("lastEventId")
        let seen = text.flatMap(EventID.init).flatMap { $0.history == session.history ? $0 : nil }
        guard view.form == .patch, let seen, let journal = session.journal, seen.revision < session.store.revision,
            journal.recent(after: seen.revision, limit: 1) == nil
        else { return try openStream(session, view, seen, [], context) }
        let deferred = context.deferred
        journal.entries(after: seen.revision, limit: Self.mostMissed) { [self] found in
            // Where they cannot be had, the state tells all.
            let earlier = (try? found.get()) ?? nil
            deferred.resume { context throws(Problem) in
                try self.openStream(session, view, seen, earlier ?? [], context)
            }
        }
    }

    /// How many commits are looked up for a client that has missed them; of more it gets the state.
    private static let mostMissed = 4096

    private func openStream(
        _ session: Session, _ view: StreamSubscription, _ seen: EventID?, _ earlier: [CommitRecord],
        _ context: RequestContext
    ) throws(Problem) {
        let stream = EventStream(
            session, view, showsEffects: try context.head.flag("effects"), settings, on: context.exchange.loop
        ) { [clock, log, metrics] in
            metrics.streamClosed()
            // A watched session is in use up to the end of its last stream.
            session.touch(clock.now())
            log.debug("stream ended", [.init("session", session.id.shortened)])
        }
        let (bound, deferred) = (LoopBound(stream, on: stream.loop), context.deferred)
        let admission = session.subscribe(stream, max: settings.mostPerSession, seen: seen, earlier: earlier) {
            found in
            deferred.resume { [self] context throws(Problem) in
                guard case .success(let opening) = found else {
                    session.events.remove(bound.value)
                    throw Problem(JournalError.unavailable(""))
                }
                start(bound.value, of: session, with: opening, context)
            } ifGone: {
                session.events.remove(bound.value)
            }
        }
        switch admission {
        case .ended: Self.answerEnded(context)
        case .full:
            throw Problem(.tooManyStreams, "This session has as many streams as it may; close one.")
        case .left:
            // Later in the loop the session can be found again.
            deferred.resumeInLaterTurn { [self] context throws(Problem) in
                try availability.requireServing()
                try access.authorizedSession(session.id, context, ifEnded: Self.answerEnded, openStream)
            }
        case .later: break
        case .opening(let opening): start(stream, of: session, with: opening, context)
        }
    }

    private func start(
        _ stream: EventStream, of session: Session, with opening: InitialEvents, _ context: RequestContext
    ) {
        context.decorator.recordStatus(.ok)
        let connection = context.exchange.startStream(
            fields: EventStream.fields(stream.view.form) + context.decorator.fields, owner: stream)
        guard let connection else { return session.events.remove(stream) }
        metrics.streamOpened()
        stream.start(on: connection, opening)
    }

    /// In which form the client takes the changes.
    private static func form(_ head: RequestHead) throws(Problem) -> StreamSubscription.Form {
        let inColor = try head.flag("color")
        let wanted = head.query.first("changes")
        guard let named = StreamSubscription.Form.named.first(where: { $0.name == wanted ?? "state" }) else {
            let known = StreamSubscription.Form.named.map(\.name).joined(separator: " or ")
            throw Problem(.malformedRequest, "changes must be \(known).")
        }
        let offers = [eventStream, terminal].compactMap(\.self)
        let accepted = AcceptHeader(head.fields.values("accept")).preferred(of: offers)
        if accepted != nil, accepted == eventStream { return named.form }
        if accepted != nil, accepted == terminal { return .text(inColor: inColor) }
        throw Problem(
            .notAcceptable, "This resource is text/event-stream, or text/plain for a terminal; let Accept include one.")
    }

    private static let eventStream = MediaType("text/event-stream")
    private static let terminal = MediaType("text/plain; charset=utf-8")
}
