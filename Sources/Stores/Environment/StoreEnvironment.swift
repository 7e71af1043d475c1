/// What a store takes from its surroundings: time, a place for effects to run, and its limits.
///
/// One environment serves any number of stores.
public final class StoreEnvironment: Sendable {
    /// Says when; effects and timers wait by it.
    public let clock: any StoreClock
    /// Where effects run; nil for the shared pool of threads.
    public let executor: (any TaskExecutor)?
    /// How many effects may run or wait at once in one store. An action that would start more is rejected with
    /// ``Rejection/tooManyEffects``.
    public let effectLimit: Int
    /// How many actions may be queued behind one dispatch before they are called a cascade without end and dropped.
    public let cascadeLimit: Int
    /// Whether effects that several middlewares start for one commit run beside one another.
    public let effectOrder: EffectOrder
    /// Is told of faults of the program; it may be called inside a store, so it must be quick and send nothing.
    public let report: @Sendable (StoreFault) -> Void
    /// Is told what happens to effects; nil where nobody asks, which costs nothing. It is called inside a store, so it must be
    /// quick and send nothing.
    public let effects: (@Sendable (EffectEvent) -> Void)?

    /// An environment that is the standard one but for what is given.
    ///
    /// - Parameters:
    ///   - clock: the system's, or one that a test moves.
    ///   - executor: where effects run; nil for the shared pool of threads.
    ///   - effectLimit: running and waiting effects of one store.
    ///   - cascadeLimit: actions queued behind one dispatch.
    ///   - effectOrder: how the effects that several middlewares start for one commit stand to one another.
    ///   - report: is told of faults; it must be quick and send nothing.
    ///   - effects: is told what happens to effects; it must be quick and send nothing.
    public init(
        clock: any StoreClock = SystemClock(), executor: (any TaskExecutor)? = nil, effectLimit: Int = 64,
        cascadeLimit: Int = 10_000, effectOrder: EffectOrder = .concurrent,
        report: @escaping @Sendable (StoreFault) -> Void = { _ in },
        effects: (@Sendable (EffectEvent) -> Void)? = nil
    ) {
        self.clock = clock
        self.executor = executor
        self.effectLimit = effectLimit
        self.cascadeLimit = cascadeLimit
        self.effectOrder = effectOrder
        self.report = report
        self.effects = effects
    }

    /// The system's clock, the shared pool of threads, the usual limits, and nobody to report to.
    public static let standard = StoreEnvironment()
}

/// How the effects of several middlewares stand to one another, where one commit starts more than one.
public enum EffectOrder: Sendable {
    /// They run beside one another.
    case concurrent
    /// A middleware's effects begin when those of the middleware before it have ended, for each commit by itself.
    case sequential
}

/// A fault of the program that a store has contained: nothing is lost but what it names, and the store goes on.
public enum StoreFault: Sendable, Hashable {
    /// Actions kept following from one another; those that still waited were dropped.
    case cascadeStopped(limit: Int, dropped: Int)
    /// A change would have broken the invariant of that name; it was rejected.
    case invariantBroken(String)
}

extension StoreFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cascadeStopped(let limit, let dropped):
            "one action set off more than \(limit) others, so the \(dropped) that still waited were dropped: "
                + "look for a middleware or a subscriber that answers its own actions"
        case .invariantBroken(let name):
            "an action would have broken the invariant \(name) and was rejected: the reducer should have refused it"
        }
    }
}
