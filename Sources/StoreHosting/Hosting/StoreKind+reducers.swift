public import Stores

extension StoreKind {
    /// A kind with a synchronous reducer.
    @inlinable
    package static func store<State: HostedState, Action: DeclaredAction>(
        _ name: String, summary: String = "", reducer: some Reducer<State, Action>,
        middleware: [any Middleware<State, Action>] = [], selectors: [Selector<State>] = [],
        migrations: [Migration] = []
    ) -> StoreKind {
        // All stores of the kind share these.
        let reducer = reducer.prepared
        let middleware = MiddlewareStack(reducer.middleware, middleware)
        let encoder = StateEncoder(State(), State.restoration, selectors: selectors, migrations: steps(migrations))
        return StoreKind(name, summary, selectors, encoder, Action.catalogue) { state, environment, observer in
            Store(state, reducer, middleware, environment, observer: observer)
        }.checked(onlyFollows: reducer.onlyFollows, middleware.timerGroups)
    }

    @usableFromInline
    static func steps(_ migrations: [Migration]) -> [MigrationStep] { migrations.map(MigratingState.step) }

    /// The kind, with the problems of its reducer and its timers.
    ///
    /// - Parameters:
    ///   - onlyFollows: whether its reducer accepts no action.
    ///   - timerGroups: the groups of timers of its middlewares.
    @usableFromInline
    func checked(onlyFollows: Bool = false, _ timerGroups: [EffectKey]) -> StoreKind {
        var kind = self
        if onlyFollows {
            kind.problems.append(
                "The reducer of \"\(name)\" only follows actions that others accept, so it would ignore every action. "
                    + "Add a reducer that decides.")
        }
        kind.problems += timerGroups.duplicates.map {
            "Two groups of timers have the name \"\($0.id)\", so each would disarm the timers of the other."
        }
        return kind
    }

    /// A kind that consists of a reducer only.
    @inlinable
    package static func store<Kind: HostedReducer>(
        _ name: String, summary: String = "", _ reducer: Kind.Type, migrations: [Migration] = []
    ) -> StoreKind {
        store(name, summary: summary, reducer: reducer.init(), migrations: migrations)
    }

    /// A kind with an asynchronous reducer, which reduces actions strictly in the order of sending.
    @inlinable
    package static func async<State: HostedState, Action: DeclaredAction>(
        _ name: String, summary: String = "", reducer: some AsyncReducer<State, Action>,
        middleware: [any Middleware<State, Action>] = [], selectors: [Selector<State>] = [],
        migrations: [Migration] = []
    ) -> StoreKind {
        let reducer: any AsyncReducer<State, Action> = reducer
        let rules = reducer.synchronousRules
        let middleware = MiddlewareStack(rules?.middleware ?? [], middleware)
        let encoder = StateEncoder(State(), State.restoration, selectors: selectors, migrations: steps(migrations))
        return StoreKind(name, summary, selectors, encoder, Action.catalogue) { state, environment, observer in
            AsyncStore(state, reducer, middleware, environment, observer: observer)
        }.checked(onlyFollows: rules?.onlyFollows == true, middleware.timerGroups)
    }
}

/// A reducer that can be hosted without further parameters.
@usableFromInline
package protocol HostedReducer: Reducer where State: HostedState, Action: DeclaredAction {
    /// The reducer of a new store.
    init()
}
