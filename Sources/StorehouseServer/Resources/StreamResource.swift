import HTTP
import HTTPServer
import Security
import Sockets
import StoreHosting
import Stores

/// Handles `GET /sessions/{id}/events`: opens event streams on sessions.
final class StreamResource: Sendable {
    private let access: SessionAccess
    private let availability: Availability
    private let pool: WorkPool
    let settings: EventStream.Settings
    private let clock: SessionClock
    let metrics: ServerMetrics
    private let recorder: RequestRecorder

    init(
        _ access: SessionAccess, _ availability: Availability, _ pool: WorkPool, _ settings: EventStream.Settings,
        clock: SessionClock, _ metrics: ServerMetrics, _ recorder: RequestRecorder
    ) {
        self.recorder = recorder
        self.access = access
        self.availability = availability
        self.pool = pool
        self.settings = settings
        self.clock = clock
        self.metrics = metrics
    }

    func open(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try Problem.of(availability.requireServing)
        try access.enter(id, for: .init(permission: .read), context, enter)
    }

    private func enter(_ entry: SessionAccess.Entry, _ context: RequestContext) throws(Problem) {
        if case .ended = entry { return Self.answerEnded(context) }
        try openStream(try entry.get(), context)
    }

    /// Only the status 204 stops a browser's EventSource from reconnecting.
    private static func answerEnded(_ context: RequestContext) {
        // A cache would keep a 204 by default (RFC 9110, section 15.1).
        context.answer(Response(.noContent, fields: [.init("Cache-Control", "no-store")]))
    }

    private func openStream(_ session: Session, _ context: RequestContext) throws(Problem) {
        let request = try StreamRequest(context, session)
        guard session.isLarge else { return try replayMissed(session, request, context) }
        let deferred = context.deferred
        try Problem.of { () throws(SessionFailure) in
            try pool.run(for: .session(session.id)) { [self] in
                // The store remembers the encoded state, so the loop does not have to encode it.
                _ = session.store.read()
                deferred.resume { [self] context throws(Problem) in try replayMissed(session, request, context) }
            }
        }
    }

    private func replayMissed(
        _ session: Session, _ request: StreamRequest, _ context: RequestContext
    ) throws(Problem) {
        guard let revision = request.revisionMissingFromBuffer(of: session), let journal = session.journal else {
            return try openStream(session, request, [], context)
        }
        let deferred = context.deferred
        journal.commits(after: revision, limit: StreamRequest.maxMissedCommits) { [self] found in
            // Without these commits the stream begins with the state.
            let earlier = (try? found.get()) ?? nil
            deferred.resume { context throws(Problem) in
                try self.openStream(session, request, earlier ?? [], context)
            }
        }
    }

    private func openStream(
        _ session: Session, _ request: StreamRequest, _ earlier: [CommitRecord], _ context: RequestContext
    ) throws(Problem) {
        let stream = makeStream(session, request, context)
        // Events of effects are not shared.
        if request.showsEffects, stream.isShared { throw Problem(.unavailable(.notHere)) }
        if request.showsEffects { stream.sendAlone() }
        let (bound, deferred) = (LoopBound(stream, on: stream.loop), context.deferred)
        let isResumed = request.seen != nil
        let result = session.events.subscribe(stream, seen: request.seen, earlier: earlier) { durable in
            deferred.resume { [self] context throws(Problem) in
                guard case .success(let initial) = durable else {
                    session.events.unsubscribe(bound.value)
                    throw Problem(JournalError.unavailable(""))
                }
                // The session has ended or left this object since, and all streams with it.
                guard !bound.value.isReleased else { return try refuse(.sessionDetached, session, context) }
                try start(bound.value, of: session, with: initial, isResumed: isResumed, context)
            } ifGone: {
                session.events.unsubscribe(bound.value)
            }
        }
        switch result {
        case .pending: break
        case .subscribed(let initial):
            try start(stream, of: session, with: initial, isResumed: isResumed, context)
        case .refused(let refusal): try refuse(refusal, session, context)
        }
    }

    private func refuse(
        _ refusal: EventHubState.Refusal, _ session: Session, _ context: RequestContext
    ) throws(Problem) {
        switch refusal {
        case .nothingToShare: throw Problem(.unavailable(.notHere))
        case .sessionEnded where context.share != nil:
            throw Problem(.absent(.endedMeanwhile))
        case .sessionEnded: Self.answerEnded(context)
        case .shareInvalid: throw Problem(.share(.unknown))
        case .full: throw Problem(.stream(.tooMany(limit: settings.maxPerSession)))
        case .tooManyViews: throw Problem(.stream(.tooManyViews(limit: settings.maxViews)))
        case .sessionDetached:
            // In a later turn of the loop the session can be loaded again.
            context.deferred.resumeInLaterTurn { [self] context throws(Problem) in
                try Problem.of(availability.requireServing)
                try access.enter(session.id, for: .init(permission: .read), context, enter)
            }
        }
    }

    private func makeStream(_ session: Session, _ request: StreamRequest, _ context: RequestContext) -> EventStream {
        EventStream(
            session, request.subscription, request.delivery, showsEffects: request.showsEffects,
            namesHeartbeats: request.namesHeartbeats, context, self,
            client: recorder.client(of: context.head, on: context.exchange.connection))
    }

    /// A stream is over, for whatever reason.
    ///
    /// - Parameters:
    ///   - byteCount: how much its client was sent.
    ///   - connection: that of the stream, if it has begun.
    func ended(
        _ stream: EventStream, of session: Session, at lastSentRevision: Int, _ byteCount: Int,
        _ connection: HTTPConnection?
    ) {
        // A watched session is in use until its last stream ends.
        session.touch(clock.now())
        guard let connection else { return }
        metrics.streamClosed()
        guard let client = stream.client else { return }
        let route = stream.subscription.isByShare ? Route.sharedEvents : .events
        var request = FinishedRequest(method: .get, route: route, status: .ok, since: connection.requestStartedAt)
        request.bytes = byteCount
        request.revision = lastSentRevision
        request.isCut = connection.isCut
        recorder.writeLine(request, of: client, watching: session, on: connection)
    }

    private func start(
        _ stream: EventStream, of session: Session, with initial: InitialEvents, isResumed: Bool,
        _ context: RequestContext
    ) throws(Problem) {
        guard context.exchange.hasRoom(for: initial.byteCount) else {
            session.events.unsubscribe(stream)
            throw Problem(.unavailable(.output))
        }
        if !stream.isShared {
            metrics.count(
                FinishedRequest(
                    method: context.head.method, route: context.decorator.route, status: .ok,
                    since: context.exchange.startedAt))
        }
        let fields = stream.subscription.format.responseFields + context.decorator.fields
        let connection = context.exchange.startStream(fields: fields + stream.delivery.fields, owner: stream)
        guard let connection else { return session.events.unsubscribe(stream) }
        if !stream.isShared { metrics.streamOpened(isResumed: isResumed) }
        stream.start(on: connection, initial)
    }
}

extension EventStream.Delivery {
    /// What another node asks for.
    fileprivate init(_ field: String?) {
        let parts = field?.split(separator: " ") ?? []
        if parts == ["shared"] {
            self = .shared(.random(in: .min ... .max))
        } else if parts.count == 2, parts[0] == "joined", let id = UInt64(parts[1]) {
            self = .joined(id)
        } else {
            self = .alone
        }
    }

    /// The response fields that tell the other node how it gets the events.
    fileprivate var fields: [Response.Field] {
        switch self {
        case .alone: []
        case .joined: [.init(StreamFraming.field, "joined")]
        case .shared(let id): [.init(StreamFraming.field, "shared \(id)")]
        }
    }
}

/// What a client asks of a stream.
private struct StreamRequest: Sendable {
    /// More missed commits than this are not replayed: the stream begins with the state.
    static let maxMissedCommits = 4096

    let subscription: StreamSubscription
    let showsEffects: Bool
    let namesHeartbeats: Bool
    let delivery: EventStream.Delivery
    /// The last event that the client has of this history.
    let seen: EventID?

    init(_ context: RequestContext, _ session: Session) throws(Problem) {
        let head = context.head
        subscription = StreamSubscription.of(
            selection: try Self.selection(context, session), format: try Self.format(head),
            isByShare: context.share != nil)
        showsEffects = context.share == nil ? try head.flag("effects") : false
        namesHeartbeats = try Self.namesHeartbeats(head)
        delivery = context.isForwarded ? EventStream.Delivery(head.fields.first("storehouse-stream")) : .alone
        let id = head.fields.first("last-event-id") ?? head.query.first("lastEventId")
        seen = id.flatMap(EventID.init).flatMap { $0.historyID == session.historyID ? $0 : nil }
    }

    private static func selection(_ context: RequestContext, _ session: Session) throws(Problem) -> Selection {
        let (text, share) = (context.head.selection, context.share)
        return try Problem.of { () throws(SessionFailure) in
            try (share?.narrow(text) ?? text).selection(of: session.kind)
        }
    }

    /// The revision after which commits must be read from the journal's storage; nil if its buffer has all of them, or
    /// they are not needed.
    func revisionMissingFromBuffer(of session: Session) -> Int? {
        guard subscription.format == .patch, let seen, let journal = session.journal,
            seen.revision < session.store.revision, journal.bufferedCommits(after: seen.revision, limit: 1) == nil
        else { return nil }
        return seen.revision
    }

    /// Reads `?heartbeat=event`; `true` is a shorter word for it.
    private static func namesHeartbeats(_ head: RequestHead) throws(Problem) -> Bool {
        switch head.query.first("heartbeat") {
        case nil: return false
        case "event", "true": return true
        default: throw Problem(.query(.heartbeat))
        }
    }

    private static func format(_ head: RequestHead) throws(Problem) -> StreamFormat {
        let inColor = try head.flag("color")
        let name = head.query.first("changes") ?? "state"
        guard let named = StreamFormat.named.first(where: { $0.name == name }) else {
            throw Problem(.query(.changes(StreamFormat.named.map(\.name))))
        }
        let terminal = StreamFormat.text(inColor: inColor)
        let offers = [StreamFormat.state.mediaType, terminal.mediaType].compactMap(\.self)
        let accepted = AcceptHeader(head.fields.values("accept")).preferred(of: offers)
        if accepted != nil { return accepted == terminal.mediaType ? terminal : named.format }
        throw Problem(.header(.accept(.events)))
    }
}
