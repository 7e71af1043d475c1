public import JSON

/// A named definition of a store, ready to be hosted: state, actions, reducer, middleware.
public struct StoreKind: Sendable {
    /// What there is to know of one action.
    public struct ActionDescription: Sendable {
        public let type: String
        public let summary: String
        public let audience: Audience
        public let payload: JSONSchema
        public let example: JSONValue
    }

    /// What there is to know of one named selector.
    public struct SelectorDescription: Sendable {
        public let name: String
        public let summary: String
    }

    /// What a client asks for it by: `{"store":"planner"}`.
    public let name: String
    /// What it is for, in a sentence.
    public let summary: String
    /// The state at revision 0, as JSON.
    public let initialState: [UInt8]
    /// Every action that its catalogue declares, internal ones too.
    public let actions: [ActionDescription]
    /// The named selectors.
    public let selectors: [SelectorDescription]

    /// Is told of each committed action, inside the store: it must be quick.
    public typealias Recorder = @Sendable (ActionRecord) -> Void

    @usableFromInline let make: @Sendable (StoreEnvironment, Recorder?) -> HostedStore

    /// - Parameter engine: makes a new store, given what it records to.
    @inlinable
    init<Engine: StoreEngine>(
        _ name: String, _ summary: String, _ selectors: [Selector<Engine.State>],
        engine: @escaping @Sendable (StoreEnvironment, Subscribers<Engine.State, Engine.Action>.Subscriber?) -> Engine
    ) where Engine.State: HostedState, Engine.Action: CataloguedAction {
        let shared = StateEncoder<Engine.State>.Shared(selectors: selectors)
        let methods = HostedStore.Methods(Host<Engine>.self)
        let catalogue = Engine.Action.catalogue
        self.init(name, summary, selectors, shared, catalogue) { environment, record in
            let recorder = record.map { write in
                { @Sendable (commit: borrowing Commit<Engine.State, Engine.Action>) in
                    if let record = ActionRecord(commit, catalogue) { write(record) }
                }
            }
            return HostedStore(Host(engine(environment, recorder), StateEncoder(shared)), methods)
        }
    }

    @usableFromInline
    init<State: HostedState, Action: CataloguedAction>(
        _ name: String, _ summary: String, _ selectors: [Selector<State>], _ shared: StateEncoder<State>.Shared,
        _ catalogue: ActionCatalogue<Action>,
        make: @escaping @Sendable (StoreEnvironment, Recorder?) -> HostedStore
    ) {
        self.name = name
        self.summary = summary
        self.make = make
        self.selectors = selectors.map { SelectorDescription(name: $0.name, summary: $0.summary) }
        initialState = shared.initialState
        actions = catalogue.declarations.map {
            ActionDescription(
                type: $0.type, summary: $0.summary, audience: $0.audience, payload: $0.payload, example: $0.example)
        }
    }

    /// A new store of this kind.
    ///
    /// - Parameter recorder: nil where nobody wants the records, which then cost nothing.
    public func makeStore(environment: StoreEnvironment = .standard, recorder: Recorder? = nil) -> HostedStore {
        make(environment, recorder)
    }
}

extension StoreKind {
    /// A kind whose reducer reduces at once.
    @inlinable
    public static func store<State: HostedState, Action: CataloguedAction>(
        _ name: String, summary: String = "", reducer: some Reducer<State, Action>,
        middleware: [any Middleware<State, Action>] = [], selectors: [Selector<State>] = []
    ) -> StoreKind {
        StoreKind(name, summary, selectors) { environment, recorder in
            Store(State(), reducer, middleware, environment, recorder: recorder)
        }
    }

    /// A kind whose reducer is all that there is to it.
    @inlinable
    public static func store<Kind: HostedReducer>(
        _ name: String, summary: String = "", _ reducer: Kind.Type
    ) -> StoreKind {
        store(name, summary: summary, reducer: reducer.init())
    }

    /// A kind whose reducer is asynchronous: its actions are reduced strictly in the order of sending.
    @inlinable
    public static func async<State: HostedState, Action: CataloguedAction>(
        _ name: String, summary: String = "", reducer: some AsyncReducer<State, Action>,
        middleware: [any Middleware<State, Action>] = [], selectors: [Selector<State>] = []
    ) -> StoreKind {
        StoreKind(name, summary, selectors) { environment, recorder in
            AsyncStore(State(), reducer, middleware, environment, recorder: recorder)
        }
    }
}

extension HostedStore.Methods {
    /// What can be done with a host of that type.
    @inlinable
    convenience init<Engine: StoreEngine>(_ type: Host<Engine>.Type) {
        self.init(
            dispatch: { unsafeDowncast($0, to: type).dispatch($1, $2, done: $3) },
            inspect: { unsafeDowncast($0, to: type).inspect($1) },
            watch: { unsafeDowncast($0, to: type).watch($1) },
            runningEffects: { unsafeDowncast($0, to: type).runningEffects },
            end: { unsafeDowncast($0, to: type).end() })
    }
}

/// A reducer that can be hosted as it is.
public protocol HostedReducer: Reducer where State: HostedState, Action: CataloguedAction {
    /// The reducer of a new store.
    init()
}
