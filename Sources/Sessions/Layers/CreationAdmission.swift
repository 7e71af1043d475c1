import StoreHosting

/// Admits no more new sessions than there is room for, and no more of one client than `limits.sessions` allows.
struct CreationAdmission<Next: CreationHandler>: CreationHandler {
    let availability: Availability
    let limits: RateLimits
    let next: Next

    func handle(_ creation: SessionCreation) throws(SessionFailure) -> Handling<SessionResult> {
        guard !creation.conditions.expectSession else { throw .absent(.expected) }
        try availability.requireRoom()
        try limits.admitCreation(of: creation.client)
        try creation.principal.require(store: creation.kind.kind.name)
        return try next.handle(creation)
    }
}
