import HTTP
import HTTPServer
import Security

/// How a resource is read and answered that is a session, or belongs to one.
struct SessionCall: Sendable {
    typealias Parse = @Sendable (RequestContext) throws(Problem) -> SessionRequest
    typealias Respond = @Sendable (SessionResult, RequestHead) throws(Problem) -> Response

    typealias Create = @Sendable (RequestContext) throws(Problem) -> SessionCreation

    let purpose: SessionAccess.Purpose
    /// Makes the request to the session, once the client is known to have access.
    let parse: Parse
    /// Makes the request for the session, if there is none; nil if that is a failure.
    let create: Create?
    /// Makes the response of the result.
    let respond: Respond

    init(
        _ permission: Permission, isUse: Bool = true, parse: @escaping Parse, create: Create? = nil,
        respond: @escaping Respond
    ) {
        purpose = SessionAccess.Purpose(permission: permission, isUse: isUse, creates: create != nil)
        self.create = create
        self.parse = parse
        self.respond = respond
    }
}

// The chain of handlers behind the access to a session.
extension SessionAccess {
    /// Answers a request to the session that a path names.
    func answer(_ context: RequestContext, at segment: PathSegment, _ call: SessionCall) throws(Problem) {
        if let session = try residentSession(segment, for: call.purpose, context) {
            return try answer(context, with: session, at: segment, call)
        }
        try enter(segment, for: call.purpose, context) { [self] (entry, context) throws(Problem) in
            if case .unknown = entry, let create = call.create {
                return try answer(context, creating: try create(context), call.respond) {
                    [self] context throws(Problem) in
                    try answer(context, at: segment, call)
                }
            }
            try answer(context, with: try entry.get(), at: segment, call)
        }
    }

    /// Answers a request for a new session.
    ///
    /// - Parameter again: looks for the session, if another node has created it meanwhile.
    func answer(
        _ context: RequestContext, creating wanted: SessionCreation, _ respond: @escaping SessionCall.Respond,
        again: @escaping Otherwise
    ) throws(Problem) {
        let handling = try Problem.of { () throws(SessionFailure) in try creation.handle(wanted) }
        answer(context, with: handling, respond, again: again)
    }

    private func answer(
        _ context: RequestContext, with session: Session, at segment: PathSegment, _ call: SessionCall
    ) throws(Problem) {
        let request = try call.parse(context)
        let handling: Handling<SessionResult>
        do throws(SessionFailure) {
            handling = try chain.handle(request, session)
        } catch {
            return Self.fail(error, context.deferred) { [self] context throws(Problem) in
                try answer(context, at: segment, call)
            }
        }
        switch handling {
        // The usual case needs no closure.
        case .now(let result): context.answer(with: result, call.respond)
        case .later(let run):
            answer(context, when: run, call.respond) { [self] context throws(Problem) in
                try answer(context, at: segment, call)
            }
        }
    }

    /// - Parameter again: looks for the session anew, if it has left its object while it was used.
    private func answer(
        _ context: RequestContext, with handling: Handling<SessionResult>, _ respond: @escaping SessionCall.Respond,
        again: @escaping Otherwise
    ) {
        switch handling {
        case .now(let result): context.answer(with: result, respond)
        case .later(let run): answer(context, when: run, respond, again: again)
        }
    }

    private func answer(
        _ context: RequestContext, when run: @escaping @Sendable () async throws(SessionFailure) -> SessionResult,
        _ respond: @escaping SessionCall.Respond, again: @escaping Otherwise
    ) {
        let deferred = context.deferred
        Task(executorPreference: context.exchange.loop) {
            do throws(SessionFailure) {
                let result = try await run()
                deferred.proceed { context in context.answer(with: result, respond) }
            } catch {
                Self.fail(error, deferred, again: again)
            }
        }
    }

    private static func fail(_ failure: SessionFailure, _ deferred: RequestContext.Deferred, again: @escaping Otherwise)
    {
        // It hibernated since it was found. Later in the loop it can be found again.
        if case .detached = failure { deferred.resumeInLaterTurn(again) } else { deferred.refuse(Problem(failure)) }
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
            answer(error.explainingWeakTags(of: head).response)
        }
    }
}
