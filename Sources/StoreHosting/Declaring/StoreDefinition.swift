public import JSON
public import RemoteServices
public import Stores

/// The definition of a store: its members, its actions and what follows them, each written once.
///
///     struct Hall { var guests: [String] = [] }
///
///     let seats = StoreDefinition("seats", "A small hall.", Hall()) {
///         Member("guests", \.guests)
///         Action(
///             "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
///             rules: .reject("sold-out") { hall, _ in hall.guests.count == 3 }
///         ) { hall, guest in hall.guests.append(guest) }
///         Action("clear", "Frees all seats.") { hall in hall.guests = [] }
///     }
///
/// From this come the decoding and validation of actions, their schemas and examples, the JSON of the state and its patches, and
/// its persistence. Besides ``Member``, ``Action``, ``Part`` and ``Fetch``, the braces take a ``Selector``, a ``Follow``, a ``Call``, a
/// ``Resume``, a ``Check``, an ``Access``, a ``Members``, an `Invariant`, any `Middleware` or `Interceptor` whose actions are
/// ``StoreAction``, and the `Timers` of
/// the module `Stores`.
public struct StoreDefinition<State: Sendable>: StoreKind.Convertible {
    /// The kind, for a server.
    public let kind: StoreKind
    /// The state at revision 0.
    public let initialState: State
    let elements: StoreElements<State>
    private let restore: Restorer

    @usableFromInline typealias Restorer = @Sendable (StateSnapshot) throws(RestorationError) -> State

    @usableFromInline
    init(
        _ kind: StoreKind, _ initialState: State, _ elements: StoreElements<State>, restore: @escaping Restorer
    ) {
        self.kind = kind
        self.initialState = initialState
        self.elements = elements
        self.restore = restore
    }

    /// A definition.
    ///
    /// A mistake in it, such as two actions of one name, is found when a server starts: see ``StoreKind/problems``.
    ///
    /// - Parameters:
    ///   - name: the name by which clients ask for it.
    ///   - summary: the purpose, in a sentence.
    ///   - initialState: the state at revision 0.
    ///   - migrations: one for each earlier version of the state, the oldest first.
    ///   - isAsynchronous: whether its stores are `AsyncStore`s, whose actions wait for each other.
    ///   - content: the members, actions and effects.
    @inlinable
    public init(
        _ name: String, _ summary: String, _ initialState: State, migrations: [Migration] = [],
        isAsynchronous: Bool = false, @StoreDefinition<State>.Builder content: () -> StoreElements<State>
    ) {
        let elements = content()
        let members = MemberList(elements)
        let actions = elements.definedActions
        let reached = ReachedMembers(members, actions, initialState)
        let catalogue = elements.catalogue(prefix: name).reaching { reached.reach(of: $0) }
        let selectors = elements.selectors.map { $0.pulledBack(to: \DefinedState<State>.value) }
        let encoder = StateEncoder(
            DefinedState(value: initialState, members: members), DefinedState.persistence(members, from: initialState),
            selectors: selectors, migrations: Self.steps(migrations, members), privateMembers: reached.privateMembers,
            findChanges: { reached.findChanges(DefinedState.value(in: $0), $1, &$2) },
            findRights: elements.hostedAccess,
            memberIDs: elements.hostedMemberIDs)
        let reducer = DefinedReducer<State>(actions).prepared
        let asynchronous = Asynchronous(reducer)
        let kind = StoreKind.calling(elements.services) { clients in
            let middleware = elements.hostedMiddleware(clients)
            guard !isAsynchronous else {
                return StoreKind(name, summary, selectors, encoder, catalogue) { state, environment, observer in
                    AsyncStore(state, asynchronous, middleware, environment, observer: observer)
                }.checked(middleware.timerGroups)
            }
            return StoreKind(name, summary, selectors, encoder, catalogue) { state, environment, observer in
                Store(state, reducer, middleware, environment, observer: observer)
            }.checked(middleware.timerGroups)
        }
        self.init(
            kind.with(
                elements.repeatedFetches, silent: elements.silentFetches,
                problems: elements.problems(of: name) + kind.problems), initialState, elements,
            restore: { persisted throws(RestorationError) in try encoder.restored(persisted, nil).0.value })
    }

    @usableFromInline
    static func steps(_ migrations: [Migration], _ members: MemberList<State>) -> [MigrationStep] {
        migrations.map { $0.step { members.snapshot(of: $0) } }
    }

    /// The reducer of the actions, for tests. It rejects an action that the definition does not contain.
    public var reducer: any Reducer<State, StoreAction<State>> {
        let reducer = ActionReducer(actions: elements.definedActions).prepared
        return AnyReducer(reducer, elements.filling())
    }

    var access: Access<State>? { elements.accesses.first }

    func selector(_ name: String) -> Selector<State>? { elements.selectors.first { $0.name == name } }

    /// The middleware, for tests.
    ///
    /// - Parameter clients: the clients of the remote services.
    public func middleware(_ clients: RemoteClients = .none) -> [any Middleware<State, StoreAction<State>>] {
        elements.middleware(clients) + elements.filling()
    }

    /// The state that a stored one becomes, for tests of migrations.
    ///
    /// - Parameter stored: what clients saw of the state, of version 1. Members that it lacks get their initial values.
    /// - Throws: why a server cannot load it.
    public func restored(from stored: JSONValue) throws(RestorationError) -> State {
        try restore(StateSnapshot(json: stored.encoded()))
    }
}
