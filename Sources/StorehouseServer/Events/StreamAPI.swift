import HTTP
import HTTPServer
import Observability
import Sockets
import StoreHosting
import Stores

extension Service {
    func openStream(_ id: PathSegment, _ call: Call) throws(Problem) {
        try find(id, call, openStream)
    }

    private func openStream(_ found: SessionRegistry.Lookup, _ call: Call) throws(Problem) {
        if case .ended = found {
            // This, and nothing else, stops a browser's EventSource for good.
            return call.answer(Response(.noContent))
        }
        try openStream(try Self.session(found), call)
    }

    private func openStream(_ session: Session, _ call: Call) throws(Problem) {
        try refuseWhileDraining()
        let view = StreamSubscription(
            selection: try Self.selection(call.head, session.kind), form: try Self.form(call.head))
        let text = call.head.fields.first("last-event-id") ?? call.head.query.first("lastEventId")
        let seen = text.flatMap(EventID.init).flatMap { $0.history == session.history ? $0 : nil }
        guard view.form == .patch, let seen, let journal = session.journal, seen.revision < session.store.revision,
            journal.bufferedCommits(after: seen.revision, limit: 1) == nil
        else { return try openStream(session, view, seen, [], call) }
        let later = call.later
        journal.commits(after: seen.revision, limit: Self.mostMissed) { [self] found in
            // Where they cannot be had, the state tells all.
            let earlier = (try? found.get()) ?? nil
            later.resume { call throws(Problem) in try self.openStream(session, view, seen, earlier ?? [], call) }
        }
    }

    /// How many commits are looked up for a client that has missed them; of more it gets the state.
    private static let mostMissed = 4096

    private func openStream(
        _ session: Session, _ view: StreamSubscription, _ seen: EventID?, _ earlier: [CommitRecord], _ call: Call
    ) throws(Problem) {
        let stream = EventStream(
            session, view, showsEffects: try Self.flag("effects", in: call.head), settings.streams,
            on: call.exchange.loop
        ) { [clock, log, metrics] in
            metrics.streamClosed()
            // A watched session is in use up to the end of its last stream.
            session.touch(clock.now())
            log.debug("stream ended", [.init("session", session.id.shortened)])
        }
        let (bound, later) = (LoopBound(stream, on: stream.loop), call.later)
        let admission = session.events.add(stream, settings.streams.mostPerSession, seen: seen, earlier: earlier) {
            found in
            later.resume { [self] call throws(Problem) in
                guard case .success(let opening) = found else {
                    session.events.remove(bound.value)
                    throw Problem(JournalError.unavailable(""))
                }
                start(bound.value, of: session, with: opening, call)
            } gone: {
                session.events.remove(bound.value)
            }
        }
        switch admission {
        case .ended: call.answer(Response(.noContent))
        case .full:
            throw Problem(.tooManyStreams, "This session has as many streams as it may; close one.")
        case .left:
            // In a later turn it can be found again.
            later.resumeLater { [self] call throws(Problem) in
                try refuseWhileDraining()
                try find(session.id, call, openStream)
            }
        case .later: break
        case .opening(let opening): start(stream, of: session, with: opening, call)
        }
    }

    private func start(
        _ stream: EventStream, of session: Session, with opening: InitialEvents, _ call: Call
    ) {
        call.reply.note(.ok)
        let connection = call.exchange.startStream(
            fields: EventStream.fields(stream.view.form) + call.reply.fields, owner: stream)
        guard let connection else { return session.events.remove(stream) }
        metrics.streamOpened()
        stream.start(on: connection, opening)
    }

    /// In which form the client takes the changes.
    private static func form(_ head: RequestHead) throws(Problem) -> StreamSubscription.Form {
        let inColor = try flag("color", in: head)
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
