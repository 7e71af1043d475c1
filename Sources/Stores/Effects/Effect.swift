/// A request of a middleware to the store, made in answer to a commit.
///
/// A running effect has an id. Its policy decides what happens when another effect with the same id is requested. Actions that
/// a cancelled effect still emits are never reduced, even if its task had not started. An effect cannot throw: a failure is an
/// action, as every other result is.
public struct Effect<Action: Sendable>: Sendable {
    @usableFromInline
    package enum Step: Sendable {
        case run(EffectDescription<Action>)
        case cancel(EffectKey)
        /// The path is that of the part whose action it is.
        case dispatch(Action, EffectPath)
        /// Makes the action when it is queued; nil for none.
        case dispatchAt(@Sendable (StoreMoment) -> Action?, EffectPath)
        case timers(EffectKey, [StateTimer<Action>])
    }

    /// The steps in order. Nil means none: it is cheaper to pass than an empty array.
    @usableFromInline package let steps: [Step]?

    @inlinable
    package init(_ steps: [Step]?) { self.steps = steps }

    /// No request.
    @inlinable
    public static var none: Effect { Effect(nil) }

    /// Runs `operation` and dispatches the action that it returns. The effect ends in the same step.
    @inlinable
    public static func run(
        _ id: EffectID, _ policy: EffectPolicy = .latest, _ operation: @escaping @Sendable () async -> Action?
    ) -> Effect {
        run(id, policy, emitting: { _ in await operation() })
    }

    /// Runs `operation`, which may emit actions while it runs, and dispatches the action that it returns.
    @inlinable
    public static func run(
        _ id: EffectID, _ policy: EffectPolicy = .latest,
        emitting operation: @escaping @Sendable (Emitter<Action>) async -> Action?
    ) -> Effect {
        Effect([.run(EffectDescription(key: EffectKey(id), policy: policy, operation: operation))])
    }

    /// Runs `operation`, which may throw. `failure` turns the error into an action, and the log of a server says
    /// that the effect has failed.
    @inlinable
    public static func run<Failure: Error>(
        _ id: EffectID, _ policy: EffectPolicy = .latest,
        _ operation: @escaping @Sendable () async throws(Failure) -> Action?,
        failure: @escaping @Sendable (Failure) -> Action
    ) -> Effect {
        run(id, policy) {
            do throws(Failure) {
                return try await operation()
            } catch {
                EffectContext.current?.report(.failed(code: (error as? any EffectFailure)?.effectCode))
                return failure(error)
            }
        }
    }

    /// Cancels the running and the queued effects with this id, in the part of the state that the middleware belongs to.
    public static func cancel(_ id: EffectID) -> Effect { Effect([.cancel(EffectKey(id))]) }

    /// Queues an action directly behind the one that is being reduced.
    public static func dispatch(_ action: Action) -> Effect { Effect([.dispatch(action, .root)]) }

    /// Queues the action that `make` returns, if it returns one, directly behind the one that is being reduced. It is called under the
    /// lock of the store.
    package static func dispatch(at make: @escaping @Sendable (StoreMoment) -> Action?) -> Effect {
        Effect([.dispatchAt(make, .root)])
    }

    /// Several effects, in order: see ``merge(_:)-([Effect<Action>])``.
    public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

    /// Several effects, in order.
    ///
    /// All of them start, also those with the same id: a policy compares an effect with the effects that were requested
    /// before, and not with its neighbours. Together they run under that id. A later ``EffectPolicy/latest`` cancels
    /// all of them, and ``EffectPolicy/leading`` drops all of them while one of the earlier ones runs. With
    /// ``EffectPolicy/queued(limit:)`` they run one after another.
    public static func merge(_ effects: [Effect]) -> Effect {
        let steps = effects.flatMap { $0.steps ?? [] }
        return Effect(steps.isEmpty ? nil : steps)
    }

    /// Delays the start of these effects by `delay`. They can be cancelled and replaced from now on.
    public func delayed(by delay: Duration) -> Effect {
        changed { $0.delay += delay }
    }

    /// Sets a deadline for these effects: `timeout` after an effect began, it is cancelled and `action` is dispatched.
    public func deadline(_ timeout: Duration, else action: Action) -> Effect {
        changed { $0.deadline = (timeout, action) }
    }

    /// Converts this effect for a store whose actions embed these.
    ///
    /// Its id stays as it is. ``Middleware/scoped(_:_:)`` and its kin also keep it apart from the effects of other parts.
    @inlinable
    public func map<Parent: Sendable>(_ embed: @escaping @Sendable (Action) -> Parent) -> Effect<Parent> {
        steps == nil ? .none : embedded(embed, in: nil)
    }

    /// Converts this effect of a part of a store for the whole store: embeds its actions, and adds `part` to its path.
    @inlinable
    package func embedded<Parent: Sendable>(
        in part: @autoclosure () -> PathStep, _ embed: @escaping @Sendable (Action) -> Parent
    ) -> Effect<Parent> {
        steps == nil ? .none : embedded(embed, in: part())
    }
}

extension Effect {
    @inlinable
    package func embedded<Parent: Sendable>(
        _ embed: @escaping @Sendable (Action) -> Parent, in part: PathStep?
    ) -> Effect<Parent> {
        Effect<Parent>(
            steps?.map { step in
                switch step {
                case .cancel(let key): .cancel(key.embedded(in: part))
                case .dispatch(let action, let path): .dispatch(embed(action), path.embedded(in: part))
                case .dispatchAt(let make, let path): .dispatchAt({ make($0).map(embed) }, path.embedded(in: part))
                case .timers(let group, let timers):
                    .timers(group.embedded(in: part), timers.map { $0.embedded(in: part, embed) })
                case .run(let request): .run(request.embedded(in: part, embed))
                }
            })
    }

    private func changed(_ change: (inout EffectDescription<Action>) -> Void) -> Effect {
        Effect(
            steps?.map { step in
                guard case .run(var request) = step else { return step }
                change(&request)
                return .run(request)
            })
    }
}

/// The rule for an effect that is requested while another with the same id runs.
public enum EffectPolicy: Sendable, Hashable {
    /// All run at the same time.
    case parallel
    /// The newest runs; older ones are cancelled.
    case latest
    /// The oldest runs; newer ones are dropped until it has ended.
    case leading
    /// They run one after another. An action that would make more than `limit` effects wait is rejected with
    /// ``Rejection/tooManyEffects``.
    case queued(limit: Int)
    /// The newest runs when no other was requested for this time; older ones are cancelled.
    case debounced(for: Duration)
    /// At most one starts within this time. The first starts at once. Of the effects that are requested within the time
    /// after a start, the newest starts at its end, and the others are cancelled. So the last one is never lost. With
    /// `latest: false` all of them are dropped. A store counts the time for at most 16 ids for each effect that it may run
    /// (`effectLimit` of the ``StoreEnvironment``); an action that would throttle one more is rejected with
    /// ``Rejection/tooManyEffects``.
    case throttled(every: Duration, latest: Bool = true)
}

/// Sends the actions of an effect that is still running.
public struct Emitter<Action: Sendable>: Sendable {
    @usableFromInline let send: @Sendable (Action) -> Void

    @inlinable
    package init(_ send: @escaping @Sendable (Action) -> Void) { self.send = send }

    /// Dispatches `action`, unless the effect was cancelled.
    ///
    /// An action that is emitted after the operation has returned is lost, and so is one that a limit of the store refuses, such as
    /// the full queue of an ``AsyncStore``. Both are reported as ``StoreFault/actionLost(_:_:type:label:)``.
    @inlinable
    public func emit(_ action: Action) { send(action) }
}

/// An effect as a middleware requested it.
@usableFromInline
package struct EffectDescription<Action: Sendable>: Sendable {
    @usableFromInline package typealias Operation = @Sendable (Emitter<Action>) async -> Action?

    @usableFromInline package let key: EffectKey
    @usableFromInline package let policy: EffectPolicy
    @usableFromInline package let operation: Operation
    /// The time to wait before the effect begins.
    @usableFromInline package var delay = Duration.zero
    /// The time that the effect may run, and the action that replaces its result after that.
    @usableFromInline package var deadline: (timeout: Duration, action: Action)?

    @inlinable
    package init(key: EffectKey, policy: EffectPolicy, operation: @escaping Operation) {
        self.key = key
        self.policy = policy
        self.operation = operation
        if case .debounced(let quiet) = policy { delay = quiet }
    }

    @inlinable
    package func embedded<Parent: Sendable>(
        in part: PathStep?, _ embed: @escaping @Sendable (Action) -> Parent
    ) -> EffectDescription<Parent> {
        var parent = EffectDescription<Parent>(key: key.embedded(in: part), policy: policy) { [operation] emitter in
            await operation(Emitter { emitter.emit(embed($0)) }).map(embed)
        }
        parent.delay = delay
        parent.deadline = deadline.map { ($0.timeout, embed($0.action)) }
        return parent
    }
}

extension Int {
    func saturatingAdding(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
