import HTTP
import Stores

extension Service {
    func openStream(_ id: PathSegment, _ call: Call) throws(Problem) {
        let found = lookUp(id)
        if case .ended = found {
            // This, and nothing else, stops a browser's EventSource for good.
            return call.answer(Response(.noContent))
        }
        let session = try session(found)
        try refuseWhileDraining()
        let showsEffects = try Self.flag("effects", in: call.head)
        let form = try Self.form(call.head)
        let view = StreamView(selection: try Self.selection(call.head, session.kind), form: form)
        let stream = EventStream(
            session, view, showsEffects: showsEffects, settings.streams, on: call.exchange.loop
        ) { [clock, log] in
            // A watched session is in use up to the end of its last stream.
            session.touch(clock.now())
            log.debug("stream ended", [.init("session", session.id.shortened)])
        }
        let seen = call.head.fields.first("last-event-id") ?? call.head.query.first("lastEventId")
        switch session.events.add(stream, settings.streams.mostPerSession, seen: seen.flatMap(EventID.init)) {
        case .ended: call.answer(Response(.noContent))
        case .full:
            throw Problem(.tooManyStreams, "This session has as many streams as it may; close one.")
        case .opening(let opening):
            call.reply.log?.write(.ok)
            let connection = call.exchange.startStream(
                fields: EventStream.fields(form) + call.reply.fields, owner: stream)
            guard let connection else { return session.events.remove(stream) }
            stream.start(on: connection, opening)
        }
    }

    /// In which form the client takes the changes.
    private static func form(_ head: RequestHead) throws(Problem) -> StreamView.Form {
        let inColor = try flag("color", in: head)
        let wanted = head.query.first("changes")
        guard let named = StreamView.Form.named.first(where: { $0.name == wanted ?? "state" }) else {
            let known = StreamView.Form.named.map(\.name).joined(separator: " or ")
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
