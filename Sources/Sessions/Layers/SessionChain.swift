/// The handlers that a request to a session passes, the outermost first.
///
/// The type of the handlers has all their names, and they are in the same target, so that the compiler makes one function of them.
package struct SessionChain: Sendable {
    private let first:
        Authorization<
            ShareView<
                LongBodies<RequestAdmission<Idempotency<Outbox<Waiting<LargeStates<Durability<SessionService>>>>>>>
            >
        >
    let pool: WorkPool

    /// - Parameters:
    ///   - clock: by which answers to requests with a key expire.
    ///   - encode: writes an answer as the whole message that a repeated request gets.
    ///   - encodeProblem: writes a failure as the problem that a client reads, without the id of its request.
    package init(
        to service: SessionService, _ limits: RateLimits, _ pool: WorkPool, _ availability: Availability,
        clock: SessionClock, encode: @escaping @Sendable (ActionAnswer) -> [UInt8],
        encodeProblem: @escaping @Sendable (SessionFailure) -> [UInt8]
    ) {
        let largeStates = LargeStates(pool, availability.memory, next: Durability(next: service))
        let outbox = Outbox(
            limits: limits, availability: availability, encode: encodeProblem, next: Waiting(next: largeStates))
        let idempotency = Idempotency(clock: clock, encode: encode, next: outbox)
        let shares = ShareView(next: LongBodies(pool: pool, next: RequestAdmission(limits: limits, next: idempotency)))
        first = Authorization(next: shares)
        self.pool = pool
    }

    package func handle(
        _ request: SessionRequest, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        try first.handle(request, session)
    }
}

/// The handlers that a request for a new session passes, the outermost first.
package struct CreationChain: Sendable {
    private let first: CreationAdmission<Durability<SessionService>>

    package init(to service: SessionService, _ limits: RateLimits, _ availability: Availability) {
        first = CreationAdmission(availability: availability, limits: limits, next: Durability(next: service))
    }

    package func handle(_ creation: SessionCreation) throws(SessionFailure) -> Handling<SessionResult> {
        try first.handle(creation)
    }
}
