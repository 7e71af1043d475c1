/// What a middleware asks the store to do after a commit.
///
/// A running effect has an id. Starting another with the same id cancels the first: the latest wins. What a cancelled
/// effect still emits is never reduced, even where its task had not started. An effect cannot throw: a failure is an
/// action like every other result.
public struct Effect<Action: Sendable>: Sendable {
    enum Step: Sendable {
        case run(EffectID, @Sendable (Emitter<Action>) async -> Action?)
        case cancel(EffectID)
        case dispatch(Action)
    }

    let steps: [Step]

    private init(_ steps: [Step]) { self.steps = steps }

    /// Nothing to do.
    public static var none: Effect { Effect([]) }

    /// Runs `operation` and dispatches the action that it returns, in one step with the end of the effect.
    public static func run(_ id: EffectID, _ operation: @escaping @Sendable () async -> Action?) -> Effect {
        Effect([.run(id, { _ in await operation() })])
    }

    /// Runs `operation`, which may emit actions while it goes on, and dispatches the one that it returns at its end.
    public static func run(
        _ id: EffectID, emitting operation: @escaping @Sendable (Emitter<Action>) async -> Action?
    ) -> Effect {
        Effect([.run(id, operation)])
    }

    /// Cancels the effect of that id, if one runs.
    public static func cancel(_ id: EffectID) -> Effect { Effect([.cancel(id)]) }

    /// Dispatches an action at once, behind the one that is being reduced.
    public static func dispatch(_ action: Action) -> Effect { Effect([.dispatch(action)]) }

    /// Several effects, in order.
    public static func merge(_ effects: Effect...) -> Effect { Effect(effects.flatMap(\.steps)) }

    /// The same effect for a store whose actions embed this one's.
    public func map<Parent: Sendable>(_ embed: @escaping @Sendable (Action) -> Parent) -> Effect<Parent> {
        Effect<Parent>(
            steps.map { step in
                switch step {
                case .cancel(let id): .cancel(id)
                case .dispatch(let action): .dispatch(embed(action))
                case .run(let id, let operation):
                    .run(id) { emitter in
                        await operation(Emitter { emitter.emit(embed($0)) }).map(embed)
                    }
                }
            })
    }
}

/// Names a running effect (`animal.fetch`), once in a store.
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

    /// Dispatches `action`, unless the effect was cancelled.
    public func emit(_ action: Action) { send(action) }
}
