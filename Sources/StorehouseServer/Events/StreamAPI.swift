import HTTP
import HTTPServer
import Observability
import Sockets
import StoreHosting
import Stores

// `GET /sessions/{id}/events`.
extension Service {
    /// Answers with an event stream.
    func openStream(_ id: PathSegment, _ call: Call) throws(Problem) {
        try find(id, call, openStream)
    }

    private func openStream(_ found: SessionRegistry.Lookup, _ call: Call) throws(Problem) {
        if case .ended = found {
            // Only this status stops a browser's EventSource from reconnecting.
            return call.answer(Response(.noContent))
        }
        try openStream(try Self.session(found), call)
    }

    private func openStream(_ session: Session, _ call: Call) throws(Problem) {
        try refuseWhileDraining()
        let request = try StreamRequest(call.head, session)
        guard let revision = request.revisionMissingFromBuffer(of: session), let journal = session.journal else {
            return try openStream(session, request, [], call)
        }
        let later = call.later
        journal.entries(after: revision, limit: StreamRequest.maxMissedCommits) { [self] found in
            // Without these commits the stream begins with the state.
            let earlier = (try? found.get()) ?? nil
            later.resume { call throws(Problem) in try self.openStream(session, request, earlier ?? [], call) }
        }
    }

    private func openStream(
        _ session: Session, _ request: StreamRequest, _ earlier: [CommitRecord], _ call: Call
    ) throws(Problem) {
        let stream = makeStream(session, request, on: call.exchange.loop)
        let (bound, later) = (LoopBound(stream, on: stream.loop), call.later)
        let limit = settings.streams.maxPerSession
        let result = session.events.subscribe(stream, limit: limit, seen: request.seen, earlier: earlier) { durable in
            later.resume { [self] call throws(Problem) in
                guard case .success(let initial) = durable else {
                    session.events.unsubscribe(bound.value)
                    throw Problem(JournalError.unavailable(""))
                }
                start(bound.value, of: session, with: initial, call)
            } gone: {
                session.events.unsubscribe(bound.value)
            }
        }
        switch result {
        case .sessionEnded: call.answer(Response(.noContent))
        case .full:
            throw Problem(
                .tooManyStreams, "This session has \(limit) event streams, which is the limit. Close one first.")
        case .sessionDetached:
            // In a later turn of the loop the session can be loaded again.
            later.resumeLater { [self] call throws(Problem) in
                try refuseWhileDraining()
                try find(session.id, call, openStream)
            }
        case .pending: break
        case .subscribed(let initial): start(stream, of: session, with: initial, call)
        }
    }

    private func makeStream(_ session: Session, _ request: StreamRequest, on loop: any EventLoop) -> EventStream {
        EventStream(
            session, request.subscription, showsEffects: request.showsEffects, settings.streams, on: loop
        ) { [clock, log, metrics] in
            metrics.streamClosed()
            // A watched session is in use until its last stream ends.
            session.touch(clock.now())
            log.debug("stream ended", [.init("session", session.id.shortened)])
        }
    }

    private func start(
        _ stream: EventStream, of session: Session, with initial: InitialEvents, _ call: Call
    ) {
        call.reply.note(.ok)
        let connection = call.exchange.startStream(
            fields: StreamRequest.responseFields(stream.subscription.format) + call.reply.fields, owner: stream)
        guard let connection else { return session.events.unsubscribe(stream) }
        metrics.streamOpened()
        stream.start(on: connection, initial)
    }
}

/// What a client asks of a stream.
private struct StreamRequest: Sendable {
    /// More missed commits than this are not replayed: the stream begins with the state.
    static let maxMissedCommits = 4096

    let subscription: StreamSubscription
    let showsEffects: Bool
    /// The last event that the client has of this history.
    let seen: EventID?

    init(_ head: RequestHead, _ session: Session) throws(Problem) {
        subscription = StreamSubscription(
            selection: try Service.selection(head, session.kind), format: try Self.format(head))
        showsEffects = try Service.flag("effects", in: head)
        let id = head.fields.first("last-event-id") ?? head.query.first("lastEventId")
        seen = id.flatMap(EventID.init).flatMap { $0.historyID == session.history ? $0 : nil }
    }

    /// The revision after which commits must be read from the journal's storage; nil if its buffer has all of them, or
    /// they are not needed.
    func revisionMissingFromBuffer(of session: Session) -> Int? {
        guard subscription.format == .patch, let seen, let journal = session.journal,
            seen.revision < session.store.revision, journal.recent(after: seen.revision, limit: 1) == nil
        else { return nil }
        return seen.revision
    }

    static func responseFields(_ format: StreamFormat) -> [Response.Field] {
        [.init("Content-Type", format.contentType)] + commonFields
    }

    private static let commonFields: [Response.Field] = [
        .init("Cache-Control", "no-store, no-transform"),
        .init("X-Accel-Buffering", "no"),
        .init("X-Content-Type-Options", "nosniff"),
    ]

    private static func format(_ head: RequestHead) throws(Problem) -> StreamFormat {
        let inColor = try Service.flag("color", in: head)
        let name = head.query.first("changes") ?? "state"
        guard let named = StreamFormat.named.first(where: { $0.name == name }) else {
            let known = StreamFormat.named.map(\.name).joined(separator: " or ")
            throw Problem(.malformedRequest, "changes must be \(known).")
        }
        let offers = [eventStream, terminal].compactMap(\.self)
        let accepted = AcceptHeader(head.fields.values("accept")).preferred(of: offers)
        if accepted != nil, accepted == eventStream { return named.format }
        if accepted != nil, accepted == terminal { return .text(inColor: inColor) }
        throw Problem(
            .notAcceptable,
            "This resource is text/event-stream, or text/plain for a terminal. Accept must include one of them.")
    }

    private static let eventStream = MediaType("text/event-stream")
    private static let terminal = MediaType("text/plain; charset=utf-8")
}
