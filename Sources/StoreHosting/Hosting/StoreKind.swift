public import JSON
public import Stores

/// A named definition of a store, ready to be hosted: state, actions, reducer, middleware.
public struct StoreKind: Sendable {
    /// What there is to know of one action.
    public struct ActionDescription: Sendable {
        /// The name by which it is sent: `slice/action`.
        public let type: String
        /// What it does and when it is rejected, in a sentence.
        public let summary: String
        /// Who may send it.
        public let audience: ActionVisibility
        /// The schema of its payload.
        public let payload: JSONSchema
        /// A whole body to post.
        public let example: JSONValue
        /// The members of its payload that must never be shown or kept in clear.
        public let secrets: [String]
    }

    /// What there is to know of one named selector.
    public struct SelectorDescription: Sendable {
        /// What a client asks for it by.
        public let name: String
        /// What it shows, in a sentence.
        public let summary: String
    }

    /// What a client asks for it by: `{"store":"planner"}`.
    public let name: String
    /// What it is for, in a sentence.
    public let summary: String
    /// Every action that its catalogue declares, internal ones too.
    public let actions: [ActionDescription]
    /// The named selectors.
    public let selectors: [SelectorDescription]

    /// The state at revision 0, as it is kept.
    public let initialSnapshot: StateSnapshot
    /// Whether its states can be kept and read back: whether they are ``Restorable``.
    public let isRestorable: Bool
    /// The version of its state: one more than it has migrations.
    public let schema: Int

    /// Makes what was kept at one version of the state into what is kept at the next: first what everybody sees, then what is
    /// hidden beside it, an object where there is nothing too.
    public typealias Migration = @Sendable (inout JSONValue, inout JSONValue) throws(RestorationError) -> Void

    @usableFromInline typealias Maker =
        @Sendable (StoreEnvironment, (any SecretSealer)?, (any CommitRecorder)?) -> HostedStore
    @usableFromInline typealias Restorer =
        @Sendable (StateSnapshot, _ revision: Int, StoreEnvironment, (any SecretSealer)?, (any CommitRecorder)?)
        throws(RestorationError)
        -> HostedStore

    private let make: Maker
    private let restore: Restorer
    private let selectOfKept: @Sendable (Selection, StateSnapshot) throws(RestorationError) -> [UInt8]

    /// - Parameter engine: makes a new store of a state, given the observer of its commits.
    @inlinable
    init<Engine: HostableStore>(
        _ name: String, _ summary: String, _ selectors: [Selector<Engine.State>],
        _ migrations: [Migration],
        engine:
            @escaping @Sendable (
                Engine.State, StoreEnvironment, sending HostCommitObserver<Engine.State, Engine.Action>
            ) -> Engine
    ) where Engine.State: HostedState, Engine.Action: DeclaredAction {
        let encoder = StateEncoder(selectors: selectors, migrations: migrations)
        let catalogue = Engine.Action.catalogue
        let host = StoreHost<Engine>(encoder, catalogue)
        let methods = HostedStore.Methods(host)
        let make: @Sendable (Engine.State, StoreEnvironment, (any SecretSealer)?, (any CommitRecorder)?) -> Engine = {
            state, environment, sealer, recorder in
            engine(state, environment, HostCommitObserver(encoder, recorder, sealer))
        }
        self.init(
            name, summary, selectors, encoder, catalogue,
            make: { HostedStore(make(Engine.State(), $0, $1, $2), methods) },
            restore: { (kept, revision, environment, sealer, recorder) throws(RestorationError) in
                let (state, schema) = try encoder.restored(kept, sealer)
                let engine = make(state, environment, sealer, recorder)
                host.restore(
                    state, at: revision, in: engine, schema.map { PendingMigration(kept.json, schema: $0) })
                return HostedStore(engine, methods)
            })
    }

    @usableFromInline
    init<State: HostedState, Action: DeclaredAction>(
        _ name: String, _ summary: String, _ selectors: [Selector<State>], _ encoder: StateEncoder<State>,
        _ catalogue: ActionSchema<Action>, make: @escaping Maker, restore: @escaping Restorer
    ) {
        self.name = name
        self.summary = summary
        self.make = make
        self.restore = restore
        self.selectors = selectors.map { SelectorDescription(name: $0.name, summary: $0.summary) }
        initialSnapshot = encoder.initial
        isRestorable = encoder.restoration != nil
        schema = encoder.schema
        selectOfKept = { (selection, kept) throws(RestorationError) in try encoder.encode(selection, of: kept) }
        actions = catalogue.declarations.map {
            ActionDescription(
                type: $0.type, summary: $0.summary, audience: $0.audience, payload: $0.payload, example: $0.example,
                secrets: $0.secrets)
        }
    }

    /// The state at revision 0, as JSON.
    public var initialState: [UInt8] { initialSnapshot.json }

    /// An action, or a batch of them, as it may be shown and kept: with `"***"` for what is secret.
    ///
    /// - Parameter body: as a client sends it, valid or not.
    public func masked(_ body: JSONValue) -> JSONValue {
        if case .array(let actions) = body { return .array(actions.map(masked)) }
        guard case .object(var action) = body, case .object(var payload)? = action["payload"],
            let secrets = actions.first(where: { $0.type == action["type"]?.asString })?.secrets, !secrets.isEmpty
        else { return body }
        for name in secrets where payload[name] != nil { payload[name] = "***" }
        action["payload"] = .object(payload)
        return .object(action)
    }

    /// A new store of this kind.
    ///
    /// - Parameters:
    ///   - environment: time, a place for effects, and limits.
    ///   - sealer: seals the secrets of states that are persisted; nil leaves them out.
    ///   - recorder: nil where nobody wants the records, which then cost nothing.
    public func makeStore(
        environment: StoreEnvironment = .standard, sealer: (any SecretSealer)? = nil,
        recorder: (any CommitRecorder)? = nil
    ) -> HostedStore {
        make(environment, sealer, recorder)
    }

    /// A store of this kind that goes on from a state that was kept, or begins with it.
    ///
    /// Its state is what was kept, and nothing runs in it before ``HostedStore/resume()``. What was kept at an older version of
    /// the state is migrated.
    ///
    /// - Parameters:
    ///   - environment: time, a place for effects, and limits.
    ///   - sealer: opens the secrets that were sealed; nil loses them.
    ///   - recorder: nil where nobody wants the records.
    ///   - kept: the state, as records and patches make it.
    ///   - revision: the one that the state is of; 0 begins anew.
    public func makeStore(
        environment: StoreEnvironment = .standard, sealer: (any SecretSealer)? = nil,
        recorder: (any CommitRecorder)? = nil,
        from kept: StateSnapshot, revision: Int
    ) throws(RestorationError) -> HostedStore {
        try restore(kept, revision, environment, sealer, recorder)
    }

    /// The selected value of a state that was kept, as JSON.
    ///
    /// - Parameters:
    ///   - selection: what is looked for; `null` is found where there is nothing.
    ///   - kept: the state. Only a named selector needs to have it restored.
    public func select(_ selection: Selection, of kept: StateSnapshot) throws(RestorationError) -> [UInt8] {
        try selectOfKept(selection, kept)
    }
}

extension StoreKind {
    /// A kind whose reducer reduces at once.
    @inlinable
    public static func store<State: HostedState, Action: DeclaredAction>(
        _ name: String, summary: String = "", reducer: some Reducer<State, Action>,
        middleware: [any Middleware<State, Action>] = [], selectors: [Selector<State>] = [],
        migrations: [Migration] = []
    ) -> StoreKind {
        // Both are made once, and every store of the kind shares them.
        let reducer = reducer.prepared
        let middleware = MiddlewareStack(middleware)
        return StoreKind(name, summary, selectors, migrations) { state, environment, observer in
            Store(state, reducer, middleware, environment, observer: observer)
        }
    }

    /// A kind whose reducer is all that there is to it.
    @inlinable
    public static func store<Kind: HostedReducer>(
        _ name: String, summary: String = "", _ reducer: Kind.Type, migrations: [Migration] = []
    ) -> StoreKind {
        store(name, summary: summary, reducer: reducer.init(), migrations: migrations)
    }

    /// A kind whose reducer is asynchronous: its actions are reduced strictly in the order of sending.
    @inlinable
    public static func async<State: HostedState, Action: DeclaredAction>(
        _ name: String, summary: String = "", reducer: some AsyncReducer<State, Action>,
        middleware: [any Middleware<State, Action>] = [], selectors: [Selector<State>] = [],
        migrations: [Migration] = []
    ) -> StoreKind {
        let reducer: any AsyncReducer<State, Action> = reducer
        let middleware = MiddlewareStack(middleware)
        return StoreKind(name, summary, selectors, migrations) { state, environment, observer in
            AsyncStore(state, reducer, middleware, environment, observer: observer)
        }
    }
}

extension HostedStore.Methods {
    /// What `host` does with its stores.
    @inlinable
    convenience init<Engine: HostableStore>(_ host: StoreHost<Engine>) {
        // Whoever has a hosted store has it from its kind, which knows what it is.
        self.init(
            dispatch: { host.dispatch($1, to: unsafeDowncast($0, to: Engine.self), $2, done: $3) },
            inspect: { host.inspect(unsafeDowncast($0, to: Engine.self), $1) },
            watch: { host.watch(unsafeDowncast($0, to: Engine.self), $1) },
            watchEffects: { host.watchEffects(unsafeDowncast($0, to: Engine.self), $1) },
            runningEffects: { host.runningEffects(unsafeDowncast($0, to: Engine.self)) },
            resume: { host.resume(unsafeDowncast($0, to: Engine.self)) },
            kept: { host.kept(unsafeDowncast($0, to: Engine.self)) },
            end: { unsafeDowncast($0, to: Engine.self).core.end() },
            retire: { unsafeDowncast($0, to: Engine.self).core.retire() })
    }
}

/// A reducer that can be hosted as it is.
public protocol HostedReducer: Reducer where State: HostedState, Action: DeclaredAction {
    /// The reducer of a new store.
    init()
}
