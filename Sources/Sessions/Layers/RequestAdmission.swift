import JSON

/// Admits no more actions to a session than `limits.actions` allows, and no more forks of one client than `limits.sessions` allows.
struct RequestAdmission<Next: SessionHandler>: SessionHandler {
    let limits: RateLimits
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        switch request.operation {
        case .dispatch(let action):
            guard limits.countActions, !request.isRepeated else { break }
            // A request that no session could run counts for nothing.
            _ = try action.selection?.selection(of: session.kind)
            try limits.admitActions(action.json?.asArray.map { max(1, $0.count) } ?? 1, to: session.id)
        // A dry run makes no session, but it sends actions.
        case .fork(let fork) where fork.isDryRun && !request.isRepeated: try limits.admitActions(1, to: session.id)
        case .fork(let fork) where !request.isRepeated: try limits.admitCreation(of: fork.client)
        default: break
        }
        return try next.handle(request, session)
    }
}
