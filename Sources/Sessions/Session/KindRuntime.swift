import CPlatform
import JSON
import Locks
package import Observability
package import StoreHosting
package import Stores

/// A kind, and what its sessions share: the server's clock, its log, and the sealer.
package final class KindRuntime: Sendable {
    package let kind: StoreKind
    package let environment: StoreEnvironment
    /// By which sessions and what they remember expire.
    package let clock: SessionClock
    package let sealer: (any SecretSealer)?
    package let limits: SessionLimits
    /// Makes the hashes of the entries of clients.
    package let hasher: EntryHasher
    package let metrics: KindMetrics
    private let faults: FaultLog?
    /// Nil outside of a cluster.
    package let transfer: (any SessionTransferring)?
    /// Tells streams who watches.
    package let presence: PresenceUpdates
    // Guards the version. No other lock is taken while this one is held.
    private let declaredVersion: Locked<String?> = Locked(nil)

    package convenience init(
        _ kind: StoreKind, _ environment: StoreEnvironment, _ clock: SessionClock, _ sealer: (any SecretSealer)?,
        _ limits: SessionLimits = SessionLimits(), _ metrics: KindMetrics = KindMetrics(),
        _ transfer: (any SessionTransferring)? = nil, hasher: EntryHasher = EntryHasher(secret: [])
    ) {
        self.init(kind, environment, clock, sealer, limits, metrics, transfer, hasher, faults: nil)
    }

    private init(
        _ kind: StoreKind, _ environment: StoreEnvironment, _ clock: SessionClock, _ sealer: (any SecretSealer)?,
        _ limits: SessionLimits, _ metrics: KindMetrics, _ transfer: (any SessionTransferring)?, _ hasher: EntryHasher,
        faults: FaultLog?
    ) {
        self.hasher = hasher
        self.transfer = transfer
        self.faults = faults
        self.kind = kind
        self.clock = clock
        self.metrics = metrics
        self.limits = limits
        self.sealer = sealer
        self.environment = environment
        presence = PresenceUpdates(now: environment.steadyNow)
        // For the log: see `RunningFunctions` and `FaultReport`.
        fault_notes_keep()
    }

    /// The version of the kind, which is computed once, when it is first asked for.
    package var version: String {
        declaredVersion.withLock { known in
            let version = known ?? kind.version
            known = version
            return version
        }
    }

    /// Decodes a persisted state of the kind.
    package func restored(_ state: StateSnapshot) throws(SessionFailure) -> RestoredState {
        do {
            return try kind.restored(state, sealer: sealer)
        } catch {
            throw .stored(.unrestorable(error))
        }
    }

    /// Reports that a state took long to tell the rights of an actor.
    ///
    /// - Parameter session: as the log names it.
    func accessWasSlow(nanoseconds: Int, in session: String) {
        metrics.accessWasSlow()
        faults?.writeSlowAccess(milliseconds: nanoseconds / 1_000_000, in: session)
    }

    /// Reports that a function of the kind does not return.
    package func report(_ stall: RunningFunctions.Stall) {
        metrics.functionStalled()
        faults?.write(stall)
    }

    /// - Parameter clock: the session time, and the wall clock of stores.
    package convenience init(
        _ kind: StoreKind, clock: SessionClock, sealer: (any SecretSealer)?, limits: SessionLimits = SessionLimits(),
        hasher: EntryHasher = EntryHasher(secret: []), log: Log, effects counts: EffectCounts = EffectCounts(),
        transfer: (any SessionTransferring)? = nil
    ) {
        let sessionClock = clock
        let clock = clock.wall
        let name = kind.name
        let lines = EffectLog(of: name, log, clock)
        let metrics = KindMetrics()
        let faults = FaultLog(of: name, log, clock)
        let environment = StoreEnvironment(
            clock: clock, steadyNow: clock.steady,
            report: { fault in
                metrics.reported(fault)
                faults.write(fault)
            },
            effects: { event in
                counts.count(name: event.effect.name, phase: event.phase, code: event.code)
                lines.write(event)
            })
        self.init(kind, environment, sessionClock, sealer, limits, metrics, transfer, hasher, faults: faults)
    }
}

/// The limits of one session.
package struct SessionLimits: Sendable {
    package var maxIdempotencyKeys = 50_000
    /// How many permits may be valid at a time.
    package var maxPermits = 1000
    /// The largest state, in bytes of its JSON.
    package var maxStateBytes = 1 << 20
    /// How often the journal gets the time of the last use, in milliseconds.
    package var useInterval = 60_000
    /// How long an actor without a stream may come back, in milliseconds.
    package var presenceGrace = 10_000
    package var clients = ClientLimits()

    package init() {}
}

extension [KindRuntime] {
    /// The kind with a name; nil if there is none. Names are the same if their bytes are.
    package func named(_ name: String) -> KindRuntime? { first { Subject($0.kind.name) == Subject(name) } }
}
