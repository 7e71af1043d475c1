import JSON

/// Parses actions, and admits no more of them to a session than `limits.actions` allows, and no more forks of one client than
/// `limits.sessions` allows.
struct RequestAdmission<Next: SessionHandler>: SessionHandler {
    let limits: RateLimits
    /// Parses long bodies, which takes too long for an event loop.
    let pool: WorkPool
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        guard case .dispatch(let action) = request.operation else {
            if case .fork(_, let client) = request.operation { try limits.admitCreation(of: client) }
            return try next.handle(request, session)
        }
        guard let json = action.json else { return parse(action, request, session) }
        try admit(json, to: session)
        return try next.handle(request, session)
    }

    @inline(never)
    private func parse(
        _ action: ActionRequest, _ request: SessionRequest, _ session: Session
    ) -> Handling<SessionResult> {
        .later { () async throws(SessionFailure) in
            let json = try await pool.run(for: .session(session.id)) { () throws(SessionFailure) in
                do throws(JSONSyntaxError) {
                    return try JSONValue(parsing: action.body)
                } catch {
                    throw SessionFailure.notJSON(error)
                }
            }
            try admit(json, to: session)
            let parsed = request.with(.dispatch(action.with(json: json)))
            return try await next.handle(parsed, session).value()
        }
    }

    private func admit(_ json: JSONValue, to session: Session) throws(SessionFailure) {
        try limits.admitActions(json.asArray.map { max(1, $0.count) } ?? 1, to: session.id)
    }
}
