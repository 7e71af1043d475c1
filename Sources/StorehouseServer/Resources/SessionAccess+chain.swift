import HTTP
import HTTPServer
import Security
import Sessions

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
        if try forward(context, at: segment, call) { return }
        try proceed(context, with: try enter(segment, for: call.purpose, context), at: segment, call)
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
        return try locator.forward(context, of: id) { [self] (attempt, context) throws(Problem) in
            let client = RoutedClient(context)
            let entered = later(.id(id), for: call.purpose, client) { () async throws(SessionFailure) in
                try await locator.find(id, for: client, after: attempt)
            }
            try proceed(context, with: entered, at: segment, call)
        }
    }

    private func proceed(
        _ context: RequestContext, with entered: Handling<Entered?>, at segment: PathSegment, _ call: SessionCall
    ) throws(Problem) {
        try context.proceed(with: entered) { [self] (entry: Entry, context) throws(Problem) in
            if case .unknown = entry, let create = call.create {
                let handling = try handling(of: try create(context))
                return answer(context, with: handling, at: segment, call)
            }
            try answer(context, with: try entry.get(), at: segment, call)
        }
    }

    /// Answers a request for a session with a new id.
    func answer(
        _ context: RequestContext, creating wanted: SessionCreation, _ respond: @escaping SessionCall.Respond
    ) throws(Problem) {
        try context.proceed(with: try handling(of: wanted)) { (result, context) in
            context.answer(with: result, respond)
        }
    }

    private func handling(of wanted: SessionCreation) throws(Problem) -> Handling<SessionResult> {
        try Problem.of { () throws(SessionFailure) in try creation.handle(wanted) }
    }

    private func answer(
        _ context: RequestContext, with session: Session, at segment: PathSegment, _ call: SessionCall
    ) throws(Problem) {
        let request = try call.parse(context)
        let handling: Handling<SessionResult>
        do throws(SessionFailure) {
            handling = try chain.handle(request, session)
        } catch {
            return fail(error, context.deferred, at: segment, call)
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
        case .later(let run): answer(context, when: run, at: segment, call)
        }
    }

    private func answer(
        _ context: RequestContext, with result: SessionResult, after hold: any Hold, at segment: PathSegment,
        _ call: SessionCall
    ) {
        let deferred = context.deferred
        hold.whenOver { [self] failure in
            deferred.resume { [self] context in
                if let failure { return fail(failure, deferred, at: segment, call) }
                context.answer(with: result, call.respond)
            }
        }
    }

    private func answer(
        _ context: RequestContext, when run: @escaping @Sendable () async throws(SessionFailure) -> SessionResult,
        at segment: PathSegment, _ call: SessionCall
    ) {
        let deferred = context.deferred
        Task(executorPreference: context.exchange.loop) { [self] in
            do throws(SessionFailure) {
                let result = try await run()
                deferred.proceed { context in context.answer(with: result, call.respond) }
            } catch {
                fail(error, deferred, at: segment, call)
            }
        }
    }

    private func fail(
        _ failure: SessionFailure, _ deferred: RequestContext.Deferred, at segment: PathSegment, _ call: SessionCall
    ) {
        guard case .detached = failure else { return deferred.refuse(Problem(failure)) }
        // It has left its object since it was found, or another node has created it. Later in the loop it can be found again.
        deferred.resumeInLaterTurn { [self] context throws(Problem) in try answer(context, at: segment, call) }
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
