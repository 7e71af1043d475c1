import Platform

/// The settings of a store: its clock, the threads of its effects, and its limits.
///
/// Any number of stores may share one environment.
public final class StoreEnvironment: Sendable {
    /// The clock by which effects and timers wait.
    @usableFromInline
    package let clock: any StoreClock
    /// How long ago something was is told by this clock, because nobody can set it.
    package let steadyNow: @Sendable () -> Int
    /// Starts a task: an effect, a timer, or the work of an asynchronous store.
    @usableFromInline
    package let startTask: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>
    /// The number of effects that may run or wait at the same time in one store. An action that would start more is rejected with
    /// ``Rejection/tooManyEffects``.
    @usableFromInline
    package let effectLimit: Int
    /// The number of actions that may follow from one dispatch. The rest is taken for an endless cascade and dropped.
    @usableFromInline
    package let cascadeLimit: Int
    /// Called with faults of the program. It may be called under the lock of a store, so it must be quick and must not dispatch.
    @usableFromInline
    package let report: @Sendable (StoreFault) -> Void
    /// Names a store without a host; nil if it has no name.
    package let identity: String?
    /// Called with the events of effects; nil costs nothing. It is called under the lock of a store, so it must be quick and must
    /// not dispatch.
    package let effects: (@Sendable (EffectEvent) -> Void)?

    /// The standard environment, except for the given values.
    ///
    /// - Parameters:
    ///   - clock: the clock of the system, or one that a test moves.
    ///   - effectLimit: the number of running and queued effects of one store.
    ///   - cascadeLimit: the number of actions that may follow from one dispatch.
    ///   - report: called with faults. It must be quick and must not dispatch.
    ///   - startTask: starts a task: an effect, a timer, or the work of an asynchronous store. Normally in the shared pool of
    ///     threads; `{ Task(executorPreference: executor, operation: $0) }` chooses another executor where the system has them.
    public convenience init(
        clock: any StoreClock = SystemClock(), effectLimit: Int = 64, cascadeLimit: Int = 10_000,
        report: @escaping @Sendable (StoreFault) -> Void = { _ in },
        startTask: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never> = pooledTask
    ) {
        self.init(
            clock: clock, effectLimit: effectLimit, cascadeLimit: cascadeLimit, report: report, effects: nil,
            startTask: startTask)
    }

    /// - Parameter effects: called with the events of effects. It must be quick and must not dispatch.
    package convenience init(
        clock: any StoreClock = SystemClock(), effectLimit: Int = 64, cascadeLimit: Int = 10_000,
        report: @escaping @Sendable (StoreFault) -> Void = { _ in }, effects: (@Sendable (EffectEvent) -> Void)?,
        startTask: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never> = pooledTask
    ) {
        self.init(
            clock: clock, steadyNow: steadyTime, effectLimit: effectLimit, cascadeLimit: cascadeLimit, report: report,
            effects: effects, startTask: startTask)
    }

    /// - Parameters:
    ///   - steadyNow: milliseconds of a clock that nobody can set.
    ///   - identity: names a store without a host, of which there must be only one then.
    package init(
        clock: any StoreClock, steadyNow: @escaping @Sendable () -> Int, effectLimit: Int = 64,
        cascadeLimit: Int = 10_000, report: @escaping @Sendable (StoreFault) -> Void,
        effects: (@Sendable (EffectEvent) -> Void)?, identity: String? = nil,
        startTask: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never> = pooledTask
    ) {
        self.identity = identity
        self.clock = clock
        self.steadyNow = steadyNow
        self.startTask = startTask
        self.effectLimit = effectLimit
        self.cascadeLimit = cascadeLimit
        self.report = report
        self.effects = effects
    }

    /// Starts a task in the shared pool of threads.
    @usableFromInline
    @Sendable static func pooledTask(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(operation: operation)
    }

    /// The time of the clock. Not inlined, because each caller would copy the clock first.
    @usableFromInline package var now: Int { clock.now() }

    /// The clock of the system, the shared pool of threads, the default limits, and no reports.
    @usableFromInline package static let standard = StoreEnvironment()
}

/// A fault of the program that a store has contained. The store continues; only the named actions are lost.
public enum StoreFault: Sendable, Hashable {
    /// Actions followed from one another without end. The waiting ones were dropped.
    case cascadeStopped(limit: Int, dropped: Int)
    /// A change would have broken the invariant with this name. It was rejected.
    case invariantBroken(String)
    /// A timer, a middleware or an interceptor has sent an action of this name, which the definition of the store does not
    /// contain. It was rejected.
    case undeclaredAction(String)
    /// A timer, a middleware or an effect has sent an action of this name, which only a user may send: it has a field that takes the
    /// id of the sender. It was rejected.
    case sentWithoutUser(String)
    /// An action of this origin would have made the state larger than the host allows. It was rejected, and no client
    /// learns of it. A host names the type of the action, and the store by its label.
    case stateTooLarge(Origin, type: String, label: String)
    /// An action of this origin was lost at a bound of the store, and nobody waits for its receipt. A host names the type of the
    /// action, and the store by its label; otherwise the type is the name of the action's case, and the label is empty.
    ///
    /// The action of a timer is not lost: see ``ActionLoss/tooManyEffects``.
    case actionLost(ActionLoss, Origin, type: String, label: String)
    /// The reducer of an ``AsyncStore`` has awaited a dispatch to its own store. The action was queued behind the current one.
    case awaitedInReducer
    /// The reducer of an ``AsyncStore`` has not returned for this many seconds, although dispatches wait for it: see
    /// ``AsyncStore/dispatch(_:)``. They returned as ``Outcome/queued``.
    case reducerStalled(seconds: Int)
}

extension Rejection {
    /// The fault of the program; nil if the sender is at fault.
    var fault: StoreFault? {
        guard isFault else { return nil }
        if let action = undeclaredAction { return .undeclaredAction(action) }
        return actionWithoutUser.map { .sentWithoutUser($0) } ?? .invariantBroken(reason)
    }
}

/// The bound at which an action was lost that nobody waits for.
public enum ActionLoss: String, Sendable, Hashable, CaseIterable {
    /// It would have started more effects than the store, or the queue of one, may have.
    ///
    /// A timer whose action is refused at this bound has not fired: it is tried again when an effect has ended, and after the next
    /// commit. The fault is reported once for each deadline.
    case tooManyEffects = "too-many-effects"
    /// It would have made the state too large. It is reported as ``StoreFault/stateTooLarge(_:type:label:)``.
    case stateTooLarge = "state-too-large"
    /// It would have given the session more members than the list of a host takes. A timer is kept, as at ``tooManyEffects``.
    case tooManyMembers = "too-many-members"
    /// The queue of an ``AsyncStore`` was full.
    case overloaded
    /// An ``Emitter`` emitted it after the operation of its effect had returned.
    case lateEmission = "late-emission"

    /// Nil if a rule has rejected the action, and not a bound.
    init?(_ rejection: Rejection) {
        switch rejection {
        case .tooManyEffects: self = .tooManyEffects
        case .stateTooLarge: self = .stateTooLarge
        case .tooManyMembers: self = .tooManyMembers
        default: return nil
        }
    }
}

extension StoreFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cascadeStopped(let limit, let dropped):
            "one action set off more than \(limit) others, so the \(dropped) that still waited were dropped: "
                + "look for a middleware or a subscriber that answers its own actions"
        case .invariantBroken(let name):
            "an action would have broken the invariant \(name) and was rejected: the reducer should have refused it"
        case .undeclaredAction(let name):
            "the action \(name) was rejected, because the definition of the store does not contain it: "
                + "name it among the elements of the definition"
        case .sentWithoutUser(let name):
            "the action \(name) was rejected, because it needs a user and the store itself has sent it: "
                + "let timers and middleware send an action without a field of the user, or with one of the actor"
        case .stateTooLarge(let origin, let type, _):
            "the action \(type) of origin \(origin.rawValue) would have made the state too large and was rejected: "
                + "it is lost, as if it had never been sent"
        case .actionLost(let loss, let origin, let type, _):
            "the action \(type) of origin \(origin.rawValue) was refused: \(loss.detail)"
        case .reducerStalled(let seconds):
            "an asynchronous reducer has not returned for \(seconds) seconds while dispatches waited: if it waits for a dispatch "
                + "to its own store, as in a detached task, neither ends; the dispatches were answered as queued"
        case .awaitedInReducer:
            "an asynchronous reducer awaited a dispatch to its own store, which waits for the reducer: "
                + "the action was queued instead; send it from a middleware or an effect"
        }
    }
}

extension ActionLoss {
    fileprivate var detail: String {
        switch self {
        case .tooManyEffects:
            "it would have started too many effects, and nobody waits for its receipt; a timer is tried again, any other action is "
                + "lost: raise the limit, or start fewer effects"
        case .stateTooLarge: "it would have made the state too large"
        case .tooManyMembers:
            "it would have made too many members of the session, and nobody waits for its receipt; a timer is tried again, any "
                + "other action is lost: remove members before, or refuse further ones in a rule"
        case .overloaded: "the queue of the store is full, so it is lost: dispatch and wait, or send less"
        case .lateEmission:
            "its effect has returned, so it is lost: an effect must return after it has emitted everything"
        }
    }
}

/// The source of time of a store. Its effects and timers wait by it.
///
/// Times are absolute wall clock times, so a deadline in a state means the same after a restart.
public protocol StoreClock: Sendable {
    /// The current time in milliseconds since 1970.
    func now() -> Int

    /// Waits until `moment`. Returns at once if it has passed.
    ///
    /// - Parameter moment: milliseconds since 1970.
    /// - Throws: `CancellationError` as soon as the task is cancelled, also if it was cancelled before the call.
    func sleep(until moment: Int) async throws(CancellationError)
}

/// The wall clock of the system.
///
/// A sleep reads the clock again every ten seconds. If the clock is set forward meanwhile, the sleep ends at most ten seconds
/// late. If it is set back, the sleep does not end early.
public struct SystemClock: StoreClock {
    /// The longest time without a look at the clock, in milliseconds.
    static var maxInterval: Int { 10_000 }

    /// The clock of the system.
    public init() {}

    public func now() -> Int { systemTime() }

    public func sleep(until moment: Int) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        var time = now()
        while time < moment {
            do {
                try await Task.sleep(for: .milliseconds(min(moment - time, Self.maxInterval)))
            } catch {
                throw CancellationError()
            }
            time = now()
        }
    }
}
