package import Observability
import Platform
package import StoreHosting
import Stores

/// A kind, and what its sessions share: the server's clock, its log, and the sealer.
package final class KindRuntime: Sendable {
    let kind: StoreKind
    let environment: StoreEnvironment
    let sealer: (any SecretSealer)?
    let limits: SessionLimits

    init(
        _ kind: StoreKind, _ environment: StoreEnvironment, _ sealer: (any SecretSealer)?,
        _ limits: SessionLimits = SessionLimits()
    ) {
        self.kind = kind
        self.limits = limits
        self.sealer = sealer
        self.environment = environment
    }

    package convenience init(
        _ kind: StoreKind, clock: WallClock, sealer: (any SecretSealer)?, limits: SessionLimits = SessionLimits(),
        log: Log
    ) {
        let name = kind.name
        var effects: (@Sendable (EffectEvent) -> Void)?
        if log.isEnabled(.debug) { effects = { log.debug($0, of: name) } }
        self.init(
            kind, StoreEnvironment(clock: clock, report: { log.error($0, of: name) }, effects: effects), sealer,
            limits)
    }
}

/// What one session may hold.
package struct SessionLimits: Sendable {
    package var maxIdempotencyKeys = 50_000

    package init() {}
}

extension Log {
    /// Logs an event of an effect.
    fileprivate func debug(_ event: EffectEvent, of kind: String) {
        var fields = [
            LogField("store", kind), .init("effect", event.effect.name), .init("phase", event.phase.rawValue),
            .init("cause", event.cause),
        ]
        if let upstream = event.upstream { fields.append(.init("upstream", upstream)) }
        if let attempt = event.attempt { fields.append(.init("attempt", attempt)) }
        if let code = event.code { fields.append(.init("code", code)) }
        if let duration = event.duration { fields.append(.init("seconds", .milliseconds(duration))) }
        debug("effect", fields)
    }

    /// Logs a fault of a kind's code that its store has contained.
    fileprivate func error(_ fault: StoreFault, of kind: String) {
        let detail = LogField("detail", fault.description)
        switch fault {
        case .cascadeStopped(let limit, let dropped):
            error("cascade stopped", [.init("store", kind), .init("limit", limit), .init("dropped", dropped), detail])
        case .invariantBroken(let name):
            error("invariant broken", [.init("store", kind), .init("invariant", name), detail])
        }
    }
}

/// The wall clock of a server and its stores, as a parameter for tests.
package struct WallClock: StoreClock {
    private let read: @Sendable () -> Int

    /// - Parameter now: milliseconds since 1970-01-01T00:00:00Z.
    package init(now: @escaping @Sendable () -> Int = systemTime) { read = now }

    package func now() -> Int { read() }

    /// Waits in real time, for as long as `moment` is in the future.
    package func sleep(until moment: Int) async throws(CancellationError) {
        let system = SystemClock()
        let (due, isTooFar) = moment.addingReportingOverflow(system.now() - now())
        try await system.sleep(until: isTooFar ? moment : due)
    }
}
