import Observability
import Sessions
import StoreHosting
import Stores

/// The sessions of a server: those in memory, how they are found, and the handlers of requests to them.
struct SessionEngine: Sendable {
    let registry: SessionRegistry
    let kinds: [KindRuntime]
    let creator: SessionCreator
    let availability: Availability
    let access: SessionAccess
    let pool = WorkPool()
    let subjectSessions: SubjectSessions
    let memberCheck: MemberCheck
    /// Nil outside of a cluster.
    let transfer: SessionTransfer?
    /// Nil if all sessions are in memory.
    let timers: TimerWaker?

    /// - Parameter forwarder: nil outside of a cluster.
    init(
        _ kinds: [StoreKind], _ settings: API.Settings, journal: (any Journal)?, sealer: (any SecretSealer)?,
        memory: MemoryLimit, _ forwarder: Forwarder?, _ rates: ClientRates, _ limits: RateLimits,
        _ metrics: ServerMetrics,
        _ clock: WallClock, _ log: Log
    ) {
        let registry = SessionRegistry(
            settings.sessions, journal: journal, clock: clock, basePath: settings.basePath.text,
            node: settings.node?.name, events: metrics.sessions)
        self.registry = registry
        let transfer = forwarder.map { SessionTransfer(registry, $0, log) }
        self.transfer = transfer
        let hasher = EntryHasher(settings, journal)
        self.kinds = kinds.map {
            KindRuntime(
                $0, clock: registry.clock, sealer: sealer, limits: settings.limits, hasher: hasher, log: log,
                effects: metrics.effects, transfer: transfer)
        }
        availability = Availability(journal, memory)
        let builder = SessionBuilder(
            self.kinds, defaultStore: settings.defaultStore, journal, streamEpoch: settings.streamEpoch, log,
            subjects: registry.subjects,
            describe: { Problem($0).detail + ($0.remedy.map { " " + $0 } ?? "") },
            historySuffix: { registry.historySuffix })
        creator = SessionCreator(registry: registry, builder: builder, log: log)
        memberCheck = MemberCheck(settings.tokenVerifier == nil ? nil : journal, registry, self.kinds)
        subjectSessions = SubjectSessions(registry, self.kinds, journal, memberCheck)
        let loader = journal.map { [runtimes = self.kinds] in
            SessionLoader($0, registry, runtimes, restore: builder.restore)
        }
        let locator = loader.map { [availability] in
            SessionLocator(registry, $0, forwarder, transfer, availability)
        }
        let service = SessionService(registry, creator)
        let ownership = Ownership(
            registry: registry, locator: locator,
            personal: PersonalSessions(creator, journal, availability, limits), transfer: transfer)
        access = SessionAccess(
            registry, ownership, rates,
            chain: SessionChain(
                to: service, limits, pool, availability, clock: registry.clock,
                encode: { $0.message(of: "").serialized }, encodeProblem: { Problem($0).body }),
            creation: CreationChain(to: service, limits, availability))
        timers =
            if let journal, let loader, journal.outlivesProcess {
                TimerWaker(registry, loader, journal, clock: clock)
            } else {
                nil
            }
    }
}

extension EntryHasher {
    fileprivate init(_ settings: API.Settings, _ journal: (any Journal)?) {
        if let secret = settings.secret {
            self.init(secret: secret)
        } else if let secret = journal?.secret {
            // Whoever has the storage has its secret too.
            self.init(secret: secret, hidesSecrets: true)
        } else {
            self.init(secret: API.randomSecret)
        }
    }
}
