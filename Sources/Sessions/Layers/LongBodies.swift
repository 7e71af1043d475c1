import JSON

/// Parses long bodies on the threads of a ``WorkPool``: that takes too long for an event loop.
struct LongBodies<Next: SessionHandler>: SessionHandler {
    /// How many outboxes may wait for a session. Their hashes take up to 0.1 s for each megabyte.
    private static var maxWaitingOutboxes: Int { 16 }

    let pool: WorkPool
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        switch request.operation {
        case .dispatch(let action) where action.json == nil:
            return parse(action.body, request, session) { .dispatch(action.with(json: $0)) }
        case .sync(let sync) where sync.body == nil:
            return parse(sync.bytes, request, session, waitingAtMost: Self.maxWaitingOutboxes) {
                (json) throws(SessionFailure) in
                .sync(try sync.with(json: json, by: request.principal, in: session))
            }
        default: return try next.handle(request, session)
        }
    }

    @inline(never)
    private func parse(
        _ body: [UInt8], _ request: SessionRequest, _ session: Session, waitingAtMost most: Int = .max,
        _ operation: @escaping @Sendable (JSONValue) throws(SessionFailure) -> SessionOperation
    ) -> Handling<SessionResult> {
        .later { () async throws(SessionFailure) in
            let owner = WorkOwner.bodies(session.id)
            let operation = try await pool.run(for: owner, waitingAtMost: most) { () throws(SessionFailure) in
                try operation(try JSONValue(parsingBody: body))
            }
            return try await next.handle(request.with(operation), session).value()
        }
    }
}

extension JSONValue {
    fileprivate init(parsingBody body: [UInt8]) throws(SessionFailure) {
        do throws(JSONSyntaxError) {
            try self.init(parsing: body)
        } catch {
            throw .notJSON(error)
        }
    }
}
