import HTTP
import HTTPServer
import Security
import Sessions
import Threads

// The chain of handlers behind the access to a session.
extension SessionAccess {
    /// Answers a request to the session that a path names.
    func answer(_ context: RequestContext, at segment: PathSegment, _ call: SessionCall) throws(Problem) {
        if let session = try residentSession(segment, for: call.purpose, context) {
            return try answer(context, with: session, at: segment, call)
        }
        if try forward(context, at: segment, call) { return }
        let entering = try enter(segment, for: call.purpose, context)
        if case .now(let entered) = entering { return try answer(context, entered, at: segment, call) }
        answer(context, after: entering, at: segment, call)
    }

    /// Sends a request to the node that is known to have its session.
    ///
    /// - Returns: false if none is known.
    private func forward(
        _ context: RequestContext, at segment: PathSegment, _ call: SessionCall
    ) throws(Problem) -> Bool {
        guard let locator = ownership.locator, context.permit == nil, let id = SessionID(segment.decoded) else {
            return false
        }
        try context.require(call.purpose.permission)
        return locator.forward(context, of: id) { [self] attempt, context in
            let client = RoutedClient(context)
            let entering = later(.id(id), for: call.purpose, client) { () async throws(SessionFailure) in
                try await locator.find(id, for: client, after: attempt)
            }
            answer(context, after: entering, at: segment, call)
        }
    }

    private func answer(
        _ context: RequestContext, after entering: Handling<Entered?>, at segment: PathSegment, _ call: SessionCall
    ) {
        context.handleLater { [self] pending async throws(Problem) in
            let entered = try await entering.awaited()
            if let context = pending.here { try answer(context, entered, at: segment, call) }
        }
    }

    private func answer(
        _ context: RequestContext, _ entered: Entered?, at segment: PathSegment, _ call: SessionCall
    ) throws(Problem) {
        guard let entered else { return }
        let context = context.after(entered)
        if let refusal = entered.refusal { return try answer(context, after: refusal, of: entered, at: segment, call) }
        if case .unknown = entered.entry, let create = call.create {
            let handling = try handling(of: try create(context))
            return answer(context, with: handling, at: segment, call)
        }
        try answer(context, with: try entered.entry.get(), at: segment, call)
    }

    /// Answers a visitor who may not use the session any more: as its first request with the same key was answered, or not at all.
    private func answer(
        _ context: RequestContext, after refusal: SessionFailure, of entered: Entered, at segment: PathSegment,
        _ call: SessionCall
    ) throws(Problem) {
        guard let visitor = entered.visitor, case .session(let session) = entered.entry,
            context.head.fields.contains("idempotency-key"), let request = try? call.parse(context),
            case .dispatch(let action) = request.operation,
            let handling = chain.replay(action, of: visitor, to: session)
        else { throw Problem(refusal) }
        answer(context, with: handling, at: segment, call)
    }

    /// Answers a request for a session with a new id.
    func answer(
        _ context: RequestContext, creating wanted: SessionCreation, _ respond: @escaping SessionCall.Respond
    ) throws(Problem) {
        let handling = try handling(of: wanted)
        if case .now(let result) = handling { return context.answer(with: result, respond) }
        context.handleLater { pending async throws(Problem) in
            let result = try await handling.awaited()
            pending.here?.answer(with: result, respond)
        }
    }

    private func handling(of wanted: SessionCreation) throws(Problem) -> Handling<SessionResult> {
        try Problem.of { () throws(SessionFailure) in try creation.handle(wanted) }
    }

    private func answer(
        _ context: RequestContext, with session: Session, at segment: PathSegment, _ call: SessionCall
    ) throws(Problem) {
        var request = try call.parse(context)
        request.isRepeated = context.decorator.isRepeated
        let handling: Handling<SessionResult>
        do throws(SessionFailure) {
            handling = try chain.handle(request, session)
        } catch {
            return fail(error, context.pending, at: segment, call)
        }
        answer(context, with: handling, at: segment, call)
    }

    @inline(__always)
    private func answer(
        _ context: RequestContext, with handling: Handling<SessionResult>, at segment: PathSegment, _ call: SessionCall
    ) {
        switch handling {
        // The usual case needs no closure.
        case .now(let result): context.answer(with: result, call.respond)
        case .held(let result, let hold): answer(context, with: result, after: hold, at: segment, call)
        case .later(let run): context.exchange.cancelIfClientLeaves(answer(context, when: run, at: segment, call))
        }
    }

    private func answer(
        _ context: RequestContext, with result: SessionResult, after hold: any Hold, at segment: PathSegment,
        _ call: SessionCall
    ) {
        hold.whenOver(notify: HeldAnswer(result, to: context.pending, at: segment, call, self))
    }

    private func answer(
        _ context: RequestContext, when run: @escaping @Sendable () async throws(SessionFailure) -> SessionResult,
        at segment: PathSegment, _ call: SessionCall
    ) -> Task<Void, Never> {
        let pending = context.pending
        return Task(executorPreference: context.exchange.loop) { [self] in
            do throws(SessionFailure) {
                let result = try await run()
                pending.here?.answer(with: result, call.respond)
            } catch {
                fail(error, pending, at: segment, call)
            }
        }
    }

    fileprivate func fail(
        _ failure: SessionFailure, _ pending: PendingRequest, at segment: PathSegment, _ call: SessionCall
    ) {
        guard case .detached = failure else { return pending.refuse(Problem(failure)) }
        // It has left its object since it was found, or another node has created it. Later in the loop it can be found again.
        pending.here?.handleLater { [self] pending async throws(Problem) in
            guard var context = pending.here else { return }
            context.decorator.isRepeated = true
            try answer(context, at: segment, call)
        }
    }
}

extension RequestContext {
    /// Sends the response that `respond` makes of a result.
    fileprivate func answer(with result: SessionResult, _ respond: SessionCall.Respond) {
        logs(result.session)
        do throws(Problem) {
            if case .refused(let failure) = result.content { throw Problem(failure) }
            answer(try respond(result, head))
        } catch {
            refuse(error)
        }
    }
}

/// A result that may not leave yet.
private final class HeldAnswer: HoldWaiter {
    private let result: SessionResult
    private let pending: PendingRequest
    private let segment: PathSegment
    private let call: SessionCall
    private let access: SessionAccess

    init(
        _ result: SessionResult, to pending: PendingRequest, at segment: PathSegment, _ call: SessionCall,
        _ access: SessionAccess
    ) {
        (self.result, self.pending, self.segment, self.call, self.access) = (result, pending, segment, call, access)
    }

    func holdEnded(with failure: SessionFailure?) {
        if pending.loop.isCurrent { leave(failure) } else { pending.loop.execute { [self] in leave(failure) } }
    }

    private func leave(_ failure: SessionFailure?) {
        if let failure { return access.fail(failure, pending, at: segment, call) }
        pending.here?.answer(with: result, call.respond)
    }
}
