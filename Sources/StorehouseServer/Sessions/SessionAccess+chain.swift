import HTTP
import HTTPServer
import Security

// The chain of handlers behind the access to a session.
extension SessionAccess {
    typealias Parse = @Sendable (RequestContext) throws(Problem) -> SessionRequest
    typealias Respond = @Sendable (SessionResult, RequestHead) throws(Problem) -> Response

    /// Answers a request to the session that a path names.
    ///
    /// - Parameters:
    ///   - parse: makes the request to the session. It is called when the client is known to have access.
    ///   - respond: makes the response of the result.
    func answer(
        _ context: RequestContext, at segment: PathSegment, for permission: Permission, isUse: Bool = true,
        parse: @escaping Parse, respond: @escaping Respond
    ) throws(Problem) {
        try authorizedSession(segment, for: permission, context, isUse: isUse) {
            [self] (session, context) throws(Problem) in
            let request = try parse(context)
            perform(request, on: session, context, respond) { [self] context throws(Problem) in
                try answer(context, at: segment, for: permission, isUse: isUse, parse: parse, respond: respond)
            }
        }
    }

    /// - Parameter again: looks for the session anew, if it has left its object while it was used.
    func perform(
        _ request: SessionRequest, on session: Session, _ context: RequestContext, _ respond: @escaping Respond,
        again: @escaping Otherwise
    ) {
        context.logs(session)
        do throws(SessionFailure) {
            answer(context, with: try chain.handle(request, session), respond, again: again)
        } catch {
            Self.fail(error, context.deferred, again: again)
        }
    }

    func answer(
        _ context: RequestContext, with handling: Handling<SessionResult>, _ respond: @escaping Respond,
        again: @escaping Otherwise
    ) {
        guard case .later(let run) = handling else {
            if case .now(let result) = handling { context.answer(with: result, respond) }
            return
        }
        let deferred = context.deferred
        Task(executorPreference: context.exchange.loop) {
            do throws(SessionFailure) {
                let result = try await run()
                deferred.resume { context in context.answer(with: result, respond) }
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
    fileprivate func answer(with result: SessionResult, _ respond: SessionAccess.Respond) {
        logs(result.session)
        do throws(Problem) {
            if case .refused(let failure) = result.content { throw Problem(failure) }
            answer(try respond(result, head))
        } catch {
            answer(error.explainingWeakTags(of: head).response)
        }
    }
}
