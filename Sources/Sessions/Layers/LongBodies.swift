import JSON

/// Parses long bodies on the threads of a ``WorkPool``: that takes too long for an event loop.
struct LongBodies<Next: SessionHandler>: SessionHandler {
    let pool: WorkPool
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        guard case .dispatch(let action) = request.operation, action.json == nil else {
            return try next.handle(request, session)
        }
        return parse(action, request, session)
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
            return try await next.handle(request.with(.dispatch(action.with(json: json))), session).value()
        }
    }
}
