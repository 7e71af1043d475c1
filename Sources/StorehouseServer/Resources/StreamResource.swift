import HTTP
import HTTPServer
import Security
import Sessions
import Sockets
import StoreHosting
import Stores
import Threads

/// Handles `GET /sessions/{id}/events`: opens event streams on sessions.
final class StreamResource: Sendable {
    private let access: SessionAccess
    private let environment: StreamEnvironment

    init(_ access: SessionAccess, _ environment: StreamEnvironment) {
        self.access = access
        self.environment = environment
    }

    func open(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        let purpose = SessionAccess.Purpose(permission: .read)
        if let session = try access.residentSession(id, for: purpose, context) { return try open(id, session, context) }
        let entering = try access.enter(id, for: purpose, context)
        if case .now(let entered) = entering { return try open(id, entered, context) }
        context.handleLater { [self] pending async throws(Problem) in
            let entered = try await entering.awaited()
            if let context = pending.here { try open(id, entered, context) }
        }
    }

    private func open(
        _ id: PathSegment, _ entered: SessionAccess.Entered?, _ context: RequestContext
    ) throws(Problem) {
        guard let entered else { return }
        if case .ended = entered.entry { return Self.answerEnded(context) }
        try open(id, try entered.entry.get(), context.after(entered))
    }

    private func open(_ id: PathSegment, _ session: Session, _ context: RequestContext) throws(Problem) {
        let parameters = try StreamParameters(context)
        let stream = EventStream(
            session, parameters, context, environment,
            client: environment.recorder.client(of: context.head, on: context.exchange.connection))
        let opening = StreamOpening(
            id: id, session: session, stream: LoopBound(stream, on: stream.loop),
            isResumed: parameters.seen.map { session.counts(in: $0.historyID) } ?? false)
        let wanted = SessionOperation.Subscribing(
            selection: context.head.selection, format: parameters.format, shows: parameters.shows,
            client: parameters.client, seen: parameters.seen, stream: LoopBound(stream, on: stream.loop),
            loop: stream.loop, limits: environment.settings.limits)
        let request = SessionRequest(.subscribe(wanted), by: context.credentials)
        let handling: Handling<SessionResult>
        do throws(SessionFailure) {
            handling = try access.chain.handle(request, session)
        } catch {
            return try refuse(opening, error, context)
        }
        if case .now(let result) = handling { return try start(opening, result, context) }
        let task = context.handleLater { [self] pending async throws(Problem) in
            let outcome: Result<SessionResult, SessionFailure>
            do throws(SessionFailure) {
                outcome = .success(try await handling.value())
            } catch {
                outcome = .failure(error)
            }
            // After the end of the loop there is nothing to abandon.
            guard let context = pending.here else { return opening.stream.valueIfCurrent?.abandon() ?? () }
            switch outcome {
            case .success(let result): try start(opening, result, context)
            case .failure(let failure): try refuse(opening, failure, context)
            }
        }
        context.exchange.cancelIfClientLeaves(task)
    }

    /// Only the status 204 stops a browser's EventSource from reconnecting.
    private static func answerEnded(_ context: RequestContext) {
        // A cache would keep a 204 by default (RFC 9110, section 15.1).
        context.answer(Response(.noContent, fields: [.init("Cache-Control", "no-store")]))
    }

    private func refuse(_ opening: StreamOpening, _ failure: SessionFailure, _ context: RequestContext) throws(Problem)
    {
        opening.stream.value.abandon()
        switch failure {
        case .absent(.endedMeanwhile) where context.permit == nil: Self.answerEnded(context)
        // In a later turn of the loop the session can be loaded again.
        case .detached:
            context.handleLater { [self] pending async throws(Problem) in
                if let context = pending.here { try open(opening.id, context) }
            }
        // The initial events are lost. The client has asked for no change, so it is not told of one.
        case .unavailable(.storage): throw Problem(JournalError.unavailable(""))
        default: throw Problem(failure)
        }
    }

    private func start(_ opening: StreamOpening, _ result: SessionResult, _ context: RequestContext) throws(Problem) {
        if case .refused(let failure) = result.content { return try refuse(opening, failure, context) }
        guard case .subscribed(let initial, _) = result.content else { throw result.unexpected }
        let stream = opening.stream.value
        // The session has ended or left this object since, and all streams with it.
        if stream.isOver { return try refuse(opening, .detached, context) }
        guard context.exchange.hasRoom(for: initial.byteCount) else {
            stream.abandon()
            throw Problem(.unavailable(.output))
        }
        environment.metrics.count(
            FinishedRequest(
                method: context.head.method, route: context.decorator.route, status: .ok,
                since: context.exchange.startedAt))
        let fields = stream.subscription.format.responseFields + context.decorator.fields
        let connection = context.exchange.startStream(fields: fields, owner: stream)
        guard let connection else { return stream.abandon() }
        environment.metrics.streamOpened(isResumed: opening.isResumed)
        stream.start(on: connection, initial)
    }
}

/// A stream that has not begun.
private struct StreamOpening: Sendable {
    /// Names the session in the path.
    let id: PathSegment
    let session: Session
    let stream: LoopBound<EventStream>
    /// Whether the client has an event of the session's history.
    let isResumed: Bool
}
