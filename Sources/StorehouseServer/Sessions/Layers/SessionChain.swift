/// The handlers that a request to a session passes, the outermost first. Its type has their names, so that the compiler makes one
/// function of them.
typealias SessionChain = ShareView<
    LongBodies<RequestAdmission<Idempotency<Waiting<LargeStates<Durability<SessionService>>>>>>
>

/// The handlers that a request for a new session passes, the outermost first.
typealias CreationChain = CreationAdmission<Durability<SessionService>>

extension SessionChain {
    /// - Parameter encode: writes an answer as the whole message that a repeated request gets.
    init(
        to service: SessionService, _ limits: RateLimits, _ pool: WorkPool, _ memory: MemoryLimit, clock: SessionClock,
        encode: @escaping @Sendable (ActionAnswer) -> [UInt8]
    ) {
        let largeStates = LargeStates(pool, memory, next: Durability(next: service))
        let idempotency = Idempotency(clock: clock, encode: encode, next: Waiting(next: largeStates))
        self.init(next: LongBodies(pool: pool, next: RequestAdmission(limits: limits, next: idempotency)))
    }
}
