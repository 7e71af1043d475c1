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
        try Self.requireEventStream(call.head)
        try Self.refuse("changes", of: call.head)
        try Self.refuse("effects", of: call.head)
        let selection = try Self.selection(call.head, session.kind)
        let stream = EventStream(session, selection, settings.streams, on: call.exchange.loop) { [clock, log] in
            // A watched session is in use up to the end of its last stream.
            session.touch(clock.now())
            log.debug("stream ended", [.init("session", session.id.shortened)])
        }
        switch session.events.add(stream, settings.streams.mostPerSession) {
        case .ended: call.answer(Response(.noContent))
        case .full:
            throw Problem(.tooManyStreams, "This session has as many streams as it may; close one.")
        case .first(let first):
            call.reply.log?.write(.ok)
            let connection = call.exchange.startStream(
                fields: EventStream.fields + call.reply.fields, owner: stream)
            guard let connection else { return session.events.remove(stream) }
            let seen = call.head.fields.first("last-event-id") ?? call.head.query.first("lastEventId")
            stream.start(on: connection, first: first, lastEventID: seen)
        }
    }

    private static let eventStream = MediaType("text/event-stream")

    private static func requireEventStream(_ head: RequestHead) throws(Problem) {
        guard let eventStream, AcceptHeader(head.fields.values("accept")).quality(of: eventStream) == 0 else { return }
        throw Problem(.notAcceptable, "This resource is text/event-stream; let Accept include it.")
    }
}
