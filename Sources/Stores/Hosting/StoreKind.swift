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

    private let make: @Sendable (Recorder?) -> any HostedStore

    private init<State: HostedState, Action: CataloguedAction>(
        _ name: String, _ summary: String, _ selectors: [Selector<State>],
        engine: @escaping @Sendable ([any Middleware<State, Action>]) -> any StoreEngine<State, Action>
    ) {
        self.name = name
        self.summary = summary
        self.selectors = selectors.map { SelectorDescription(name: $0.name, summary: $0.summary) }
        actions = Action.catalogue.declarations.map {
            ActionDescription(
                type: $0.type, summary: $0.summary, audience: $0.audience, payload: $0.payload, example: $0.example)
        }
        let selectors = Dictionary(selectors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        initialState = StateEncoder(selectors: selectors).encode(.whole, of: State(), at: 0)
        make = { record in
            let logger = record.map { ActionLogger<State, Action>(catalogue: Action.catalogue, write: $0) }
            return Host(engine(logger.map { [$0] } ?? []), selectors: selectors)
        }
    }

    /// A new store of this kind.
    ///
    /// - Parameter recorder: nil where nobody wants the records, which then cost nothing.
    public func makeStore(recorder: Recorder? = nil) -> any HostedStore { make(recorder) }
}

extension StoreKind {
    /// A kind whose reducer reduces at once.
    public static func store<State: HostedState, Action: CataloguedAction>(
        _ name: String, summary: String = "", reducer: some Reducer<State, Action>,
        middleware: [any Middleware<State, Action>] = [], selectors: [Selector<State>] = []
    ) -> StoreKind {
        StoreKind(name, summary, selectors) { logger in
            Store(State(), reducer: reducer, middleware: middleware + logger)
        }
    }

    /// A kind whose reducer is all that there is to it.
    public static func store<Kind: HostedReducer>(
        _ name: String, summary: String = "", _ reducer: Kind.Type
    ) -> StoreKind {
        store(name, summary: summary, reducer: reducer.init())
    }

    /// A kind whose reducer is asynchronous: its actions are reduced strictly in the order of sending.
    public static func async<State: HostedState, Action: CataloguedAction>(
        _ name: String, summary: String = "", reducer: some AsyncReducer<State, Action>,
        middleware: [any Middleware<State, Action>] = [], selectors: [Selector<State>] = []
    ) -> StoreKind {
        StoreKind(name, summary, selectors) { logger in
            AsyncStore(State(), reducer: reducer, middleware: middleware + logger)
        }
    }
}

/// A reducer that can be hosted as it is.
public protocol HostedReducer: Reducer where State: HostedState, Action: CataloguedAction {
    /// The reducer of a new store.
    init()
}
