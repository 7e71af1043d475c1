/// What a middleware asks the store to do after a commit.
///
/// A running effect has an id, and a policy says what becomes of a newer one with the same id. What a cancelled effect still
/// emits is never reduced, even where its task had not started. An effect cannot throw: a failure is an action like every
/// other result.
public struct Effect<Action: Sendable>: Sendable {
    @usableFromInline
    package enum Step: Sendable {
        case run(EffectDescription<Action>)
        case cancel(EffectID)
        case dispatch(Action)
        case timers(EffectID, [StateTimer<Action>])
    }

    /// In order; nil for none, which costs less to hand over than an empty list.
    @usableFromInline package let steps: [Step]?

    @inlinable
    package init(_ steps: [Step]?) { self.steps = steps }

    /// Nothing to do.
    @inlinable
    public static var none: Effect { Effect(nil) }

    /// Runs `operation` and dispatches the action that it returns, in one step with the end of the effect.
    public static func run(
        _ id: EffectID, _ policy: EffectPolicy = .latest, _ operation: @escaping @Sendable () async -> Action?
    ) -> Effect {
        run(id, policy, emitting: { _ in await operation() })
    }

    /// Runs `operation`, which may emit actions while it goes on, and dispatches the one that it returns at its end.
    public static func run(
        _ id: EffectID, _ policy: EffectPolicy = .latest,
        emitting operation: @escaping @Sendable (Emitter<Action>) async -> Action?
    ) -> Effect {
        Effect([.run(EffectDescription(id: id, policy: policy, operation: operation))])
    }

    /// Runs `operation`, which may fail; a failure becomes the action that `failure` makes of it, and the effect is told to
    /// have failed.
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

    /// Cancels the effects of that id, those that wait too.
    public static func cancel(_ id: EffectID) -> Effect { Effect([.cancel(id)]) }

    /// Dispatches an action at once, behind the one that is being reduced.
    public static func dispatch(_ action: Action) -> Effect { Effect([.dispatch(action)]) }

    /// Several effects, in order.
    public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

    /// Several effects, in order.
    public static func merge(_ effects: [Effect]) -> Effect { Effect(effects.flatMap { $0.steps ?? [] }) }

    /// The same effects, begun `delay` later. Cancelling and being replaced count from now on.
    public func delayed(by delay: Duration) -> Effect {
        changed { $0.delay += delay }
    }

    /// The same effects, each cut off `timeout` after it began: it is cancelled, and `action` is dispatched in its place.
    public func deadline(_ timeout: Duration, else action: Action) -> Effect {
        changed { $0.deadline = (timeout, action) }
    }

    /// The same effect for a store whose actions embed this one's.
    @inlinable
    public func map<Parent: Sendable>(_ embed: @escaping @Sendable (Action) -> Parent) -> Effect<Parent> {
        steps == nil ? .none : embedded(embed)
    }
}

extension Effect {
    @usableFromInline
    package func embedded<Parent: Sendable>(_ embed: @escaping @Sendable (Action) -> Parent) -> Effect<Parent> {
        Effect<Parent>(
            steps?.map { step in
                switch step {
                case .cancel(let id): .cancel(id)
                case .dispatch(let action): .dispatch(embed(action))
                case .timers(let group, let timers): .timers(group, timers.map { $0.map(embed) })
                case .run(let request): .run(request.map(embed))
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

/// What becomes of an effect while another with the same id runs.
public enum EffectPolicy: Sendable, Hashable {
    /// Each runs, beside the others.
    case parallel
    /// The newest runs, and the older are cancelled.
    case latest
    /// The oldest runs, and newer ones are dropped until it has ended.
    case leading
    /// They run one after another. An action that would make more than `limit` wait is rejected with
    /// ``Rejection/tooManyEffects``.
    case queued(limit: Int)
    /// The newest runs once there has been no other for so long; the older are cancelled.
    case debounced(for: Duration)
    /// The first runs, and what comes within that time of its start is dropped.
    case throttled(every: Duration)
}

/// Names a running effect (`animal.fetch`).
public struct EffectID: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, `slice.verb` by custom.
    public let name: String

    /// The id of that name.
    public init(_ name: String) { self.name = name }
    public init(stringLiteral name: String) { self.name = name }

    public var description: String { name }
}

/// Takes the actions that an effect sends before it ends.
public struct Emitter<Action: Sendable>: Sendable {
    private let send: @Sendable (Action) -> Void

    init(_ send: @escaping @Sendable (Action) -> Void) { self.send = send }

    /// Dispatches `action`, unless the effect was cancelled. Where the line of an ``AsyncStore`` is full, it is turned away.
    public func emit(_ action: Action) { send(action) }
}

/// An effect as it was asked for.
@usableFromInline
package struct EffectDescription<Action: Sendable>: Sendable {
    typealias Operation = @Sendable (Emitter<Action>) async -> Action?

    let id: EffectID
    let policy: EffectPolicy
    let operation: Operation
    /// How long to wait before it begins.
    var delay = Duration.zero
    /// How long it may run, and what is dispatched where it runs longer.
    var deadline: (timeout: Duration, action: Action)?

    init(id: EffectID, policy: EffectPolicy, operation: @escaping Operation) {
        self.id = id
        self.policy = policy
        self.operation = operation
        if case .debounced(let quiet) = policy { delay = quiet }
    }

    func map<Parent: Sendable>(_ embed: @escaping @Sendable (Action) -> Parent) -> EffectDescription<Parent> {
        var parent = EffectDescription<Parent>(id: id, policy: policy) { [operation] emitter in
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
