import Access
import HTTP
import HTTPServer
import JSON
import Observability
import Sockets
import StoreHosting
import Stores

/// Dispatches actions to sessions.
final class ActionAPI: Sendable {
    private let access: SessionAccess
    private let availability: Availability
    private let states: StateReader
    private let limits: RateLimits
    private let clock: SessionClock
    /// The longest time that a response is held for `Prefer: wait`.
    private let maxWait: Duration

    init(
        _ access: SessionAccess, _ availability: Availability, _ states: StateReader, _ limits: RateLimits,
        clock: SessionClock, maxWait: Duration
    ) {
        self.access = access
        self.availability = availability
        self.states = states
        self.limits = limits
        self.clock = clock
        self.maxWait = maxWait
    }

    func dispatch(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try availability.requireWritable()
        try availability.memory.requireRoom(forBodyOf: context.request.body.count)
        try context.head.requireJSONAcceptable()
        try access.authorizedSession(id, for: .act, context, dispatch)
    }

    private func dispatch(_ session: Session, _ context: RequestContext) throws(Problem) {
        try dispatch(session, context, isAdmitted: false)
    }

    /// - Parameter isAdmitted: whether the rate limit counts the actions already.
    private func dispatch(_ session: Session, _ context: RequestContext, isAdmitted: Bool) throws(Problem) {
        let request = try ActionRequest.read(context, session, maxWait: maxWait)
        // A fork shares its state with others until the first action, which may copy much of it.
        if session.isLarge { try availability.memory.requireRoom(for: 4 * session.largestSize) }
        let requested = context.request
        guard requested.body.count > Self.maxParsedOnLoop else {
            return try dispatch(try requested.json(), request, session, context, isAdmitted: isAdmitted)
        }
        let deferred = context.deferred
        try pool.run(for: .session(session.id)) {
            let body = Result { () throws(Problem) in try requested.json() }
            deferred.resume { [self] context throws(Problem) in
                try dispatch(try body.get(), request, session, context, isAdmitted: isAdmitted)
            }
        }
    }

    /// The largest body, in bytes, that is parsed on an event loop: parsing takes time in proportion to it.
    private static let maxParsedOnLoop = 65_536

    private func dispatch(
        _ body: JSONValue, _ request: ActionRequest, _ session: Session, _ context: RequestContext, isAdmitted: Bool
    ) throws(Problem) {
        if !isAdmitted { try limits.admitActions(body.asArray.map { max(1, $0.count) } ?? 1, to: session.id) }
        session.recordGrowth(context.request.body.count)
        if request.key != nil, !request.options.isDryRun {
            return try dispatchIdempotent(body, request, session, context)
        }
        guard session.isLarge else {
            return dispatchAtOnce(body, request, session, context)
        }
        try start(body, session, ActionResponder(request, session, context.deferred, self))
    }

    /// Dispatches actions on the event loop. If the result is there and durable at once, which is usual, no responder is made.
    private func dispatchAtOnce(
        _ body: JSONValue, _ request: ActionRequest, _ session: Session, _ context: RequestContext
    ) {
        let start = LoopInstant.current
        func responder() -> ActionResponder {
            ActionResponder(request, session, context.deferred, self, since: start)
        }
        guard let result = session.store.dispatch(body, request.options, makeCompletion: { responder().respond }) else {
            return
        }
        guard result.isDone, request.wait == nil, session.isDurable else { return responder().respond(result) }
        session.runtime.metrics.recordDispatch(result, isDryRun: request.options.isDryRun, since: start)
        if let state = result.state { session.recordSize(ofPart: state.json.count) }
        context.answer(request.message(for: result))
    }

    /// Dispatches actions for a responder. With a large state this leaves the event loop, because it takes time in proportion to
    /// the state to encode it, and for some kinds to find what an action has changed.
    private func start(
        _ body: JSONValue, _ session: Session, _ responder: ActionResponder
    ) throws(Problem) {
        let options = responder.request.options
        guard session.isLarge else { return session.store.dispatch(body, options, done: responder.respond) }
        try pool.run(for: .session(session.id)) {
            do throws(Problem) {
                try responder.requireValidShare()
                session.store.dispatch(body, options, done: responder.respond)
                session.measureIfNeeded()
            } catch {
                responder.fail(error)
            }
        }
    }

    var pool: WorkPool { states.pool }

    /// Does work on a session: off the event loop if its state is large, unless too much waits for that already.
    func runOffLoop(_ session: Session, _ work: @escaping @Sendable () -> Void) {
        guard session.isLarge else { return work() }
        do throws(Problem) {
            try pool.run(for: .session(session.id), work)
        } catch {
            work()
        }
    }

    /// Dispatches an action again that came to a session which was hibernating. Later in the loop the session can be found
    /// again.
    func redispatch(_ id: SessionID, _ deferred: RequestContext.Deferred) -> Bool {
        guard !availability.isDraining else { return false }
        deferred.resumeInLaterTurn { [self] context throws(Problem) in
            try access.authorizedSession(id, for: .act, context) { [self] session, context throws(Problem) in
                try dispatch(session, context, isAdmitted: true)
            }
        }
        return true
    }

    /// Dispatches an action with a key, or answers as the first request with that key was answered.
    private func dispatchIdempotent(
        _ body: JSONValue, _ request: ActionRequest, _ session: Session, _ context: RequestContext
    ) throws(Problem) {
        let key = request.key?.text ?? ""
        let fingerprint = RequestFingerprint(context.request.body, body, redacted: session.kind.redacted(body))
        switch session.idempotencyCache.admit(key, fingerprint, now: clock.expiryTime()) {
        case .new:
            let recorder = IdempotencyRecorder(key, fingerprint, request, session)
            var request = request
            request.options.idempotencyRecord = recorder.record
            let responder = ActionResponder(request, session, context.deferred, self, recorder)
            do throws(Problem) {
                try start(body, session, responder)
            } catch {
                recorder.abandon()
                throw error
            }
        case .replay(let record): try replay(record, session, context)
        case .inProgress: throw Problem(.key(.inProgress))
        case .mismatch: throw Problem(.key(.mismatch))
        case .full(let retryAfter): throw Problem(.key(.tooMany(retryAfter: retryAfter)))
        }
    }

    /// Answers as the first request with the key was answered. The state is that of the same revision.
    private func replay(
        _ record: IdempotencyRecord, _ session: Session, _ context: RequestContext
    ) throws(Problem) {
        let hidesEffects = context.share != nil
        // The store appends the record to the journal before it releases its lock. Pass the lock, then await the journal.
        _ = session.store.revision
        guard let response = ActionResponse(encoded: record.response) else {
            // A whole response: of an earlier release, or of a session whose earlier states cannot be replayed.
            guard let message = Response(serialized: record.response, about: session) else {
                throw Problem(.key(.unreadable))
            }
            return context.answer(message.replayed, about: session)
        }
        guard let revision = record.revision, let selection = response.selection else {
            return context.answer(
                response.message(showing: nil, of: session.historyID, hidesEffects: hidesEffects).replayed,
                about: session)
        }
        guard !session.wasLarge else {
            return states.respond(to: context, about: session) { [states] () throws(Problem) in
                let state = try states.past(of: session, at: revision).snapshot
                let json = try session.encodeAsShown(selection, of: state).get()
                return (
                    session, response.message(showing: json, of: session.historyID, hidesEffects: hidesEffects).replayed
                )
            }
        }
        if let state = session.read(selection, ifAt: revision) {
            return context.answer(
                response.message(showing: state.json, of: session.historyID, hidesEffects: hidesEffects).replayed,
                about: session)
        }
        let deferred = context.deferred
        session.state(at: revision) { found in
            let shown = found.flatMap { session.encodeAsShown(selection, of: $0) }
            deferred.resume { context throws(Problem) in
                context.answer(
                    response.message(showing: try shown.get(), of: session.historyID, hidesEffects: hidesEffects)
                        .replayed)
            }
        }
    }
}

extension Session {
    /// Whether an earlier state can be shown again with the same bytes.
    var canReplayStates: Bool { journal != nil && kind.isRestorable }

    /// The selected value of a state of this session, with the same bytes as when the store showed it.
    fileprivate func encodeAsShown(_ selection: Selection, of state: StateSnapshot) -> Result<[UInt8], Problem> {
        Result { () throws(RestorationError) in
            try kind.encodeAsShown(selection, of: state, sealer: runtime.sealer)
        }.mapError { Problem(.stored(.unrestorable($0))) }
    }
}

extension Response {
    /// The response with the field that marks a replay.
    fileprivate var replayed: Response {
        var response = self
        response.fields.append(.init("Idempotency-Replayed", "true"))
        return response
    }
}

extension DispatchResult {
    /// Whether the action was committed or ignored.
    fileprivate var isDone: Bool {
        switch outcome {
        case .committed, .ignored: true
        default: false
        }
    }

    /// Throws what the client reads, unless the action was committed or ignored.
    func requireDone(in session: Session) throws(Problem) {
        switch outcome {
        case .committed, .ignored: return
        case .refused(let refusal, let index): throw Problem(.action(.refused(refusal, index: index)))
        case .rejected(let rejection, let index):
            throw Problem(.action(.rejected(reason: rejection.reason, index: index)))
        case .revisionMismatch: throw Problem(mismatchAt: revision, session)
        case .overloaded: throw Problem(.unavailable(.actions))
        case .ended: throw Problem(.absent(.endedBeforeAction))
        }
    }
}

extension Problem {
    /// The session is at another revision than the client expects.
    init(mismatchAt revision: Int, _ session: Session) {
        self.init(.action(.mismatch(revision: revision, history: session.historyID)))
    }

    /// The problem with the reason why a weak tag of the request did not match, if it has one.
    func explainingWeakTags(of head: RequestHead) -> Problem {
        guard code == .revisionMismatch, head.fields.contains("if-match"),
            case .tags(let tags)? = try? head.condition("if-match", "If-Match"), tags.contains(where: \.isWeak)
        else { return self }
        var problem = Problem(
            code,
            "\(detail) If-Match has a weak tag (W/), and weak tags never match there (RFC 9110, section 13.1.1): send the tag "
                + "without W/.")
        (problem.members, problem.fields) = (members, fields)
        return problem
    }
}
