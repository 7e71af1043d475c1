import JSON
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
/// its persistence. Besides ``Member``, ``Action``, ``Part`` and ``Fetch``, the braces take any `Middleware` or `Interceptor` whose
/// actions are ``StoreAction``, the `Timers` of the module `Stores`, and a ``Selector``.
public struct StoreDefinition<State: Sendable>: StoreKindConvertible {
    /// The kind, for a server.
    public let kind: StoreKind
    /// The state at revision 0.
    public let initialState: State
    private let elements: StoreElements<State>

    @usableFromInline
    init(_ kind: StoreKind, _ initialState: State, _ elements: StoreElements<State>) {
        self.kind = kind
        self.initialState = initialState
        self.elements = elements
    }

    /// A definition.
    ///
    /// A mistake in it, such as two actions of one name, is found when a server starts: see ``StoreKind/problems``.
    ///
    /// - Parameters:
    ///   - name: the name by which clients ask for it.
    ///   - summary: the purpose, in a sentence.
    ///   - initialState: the state at revision 0.
    ///   - migrations: turn a persisted state of one version into the next version.
    ///   - content: the members, actions and effects.
    @inlinable
    public init(
        _ name: String, _ summary: String, _ initialState: State, migrations: [StoreKind.Migration] = [],
        @StoreBuilder<State> content: () -> StoreElements<State>
    ) {
        let elements = content()
        let members = MemberList(elements.members)
        let catalogue = elements.catalogue(prefix: name)
        let selectors = elements.selectors.map { $0.pulledBack(to: \DefinedState<State>.value) }
        let encoder = StateEncoder(
            DefinedState(value: initialState, members: members), DefinedState.persistence(members, from: initialState),
            selectors: selectors, migrations: migrations)
        let reducer = DefinedReducer<State>(elements.definedActions).prepared
        let kind = StoreKind.calling(elements.services) { clients in
            let middleware = MiddlewareStack(
                [], elements.middleware(clients).map { $0.scoped(\DefinedState<State>.value, .whole) })
            return StoreKind(name, summary, selectors, encoder, catalogue) { state, environment, observer in
                Store(state, reducer, middleware, environment, observer: observer)
            }.checked(middleware.timerGroups)
        }
        self.init(
            kind.with(problems: elements.problems(of: name) + kind.problems), initialState, elements)
    }

    /// The reducer of the actions, for tests. It rejects an action that the definition does not contain.
    public var reducer: any Reducer<State, StoreAction<State>> { ActionReducer(actions: elements.definedActions) }

    /// The middleware, for tests.
    ///
    /// - Parameter clients: the clients of the remote services.
    public func middleware(_ clients: RemoteClients = .none) -> [any Middleware<State, StoreAction<State>>] {
        elements.middleware(clients)
    }
}

/// A part of a ``StoreDefinition``: ``Member``, ``Action``, ``Part``, ``Fetch``.
public protocol StoreElement<State>: Sendable {
    /// The state of the store.
    associatedtype State: Sendable

    /// Adds the element to a definition.
    func add(to elements: inout StoreElements<State>)
}

// An element, and not a kind of expression of its own: with one more overload, the compiler would blame the overload for a mistake
// in a closure.
extension Selector: StoreElement {
    public func add(to elements: inout StoreElements<State>) { elements.selectors.append(self) }
}

extension Selector {
    /// A selector of any `Codable` value under a name. Its `encode(to:)` must not throw.
    ///
    /// - Parameters:
    ///   - name: the name by which clients select it: letters, digits, `-` and `_`.
    ///   - summary: the selected value, in a sentence.
    ///   - select: computes the value; called for each commit that a client observes, and for each read.
    @_disfavoredOverload
    public init<Value: Codable & Sendable>(
        _ name: String, _ summary: String, _ select: @escaping @Sendable (State) -> Value
    ) {
        self.init(name, summary) { CodableJSON(select($0)) }
    }
}

/// The elements of a definition.
public struct StoreElements<State: Sendable>: Sendable {
    @usableFromInline
    struct NamedAction: Sendable {
        let id: ObjectIdentifier
        let declaration: ActionDeclaration<StoreAction<State>>

        @usableFromInline
        init(id: ObjectIdentifier, declaration: ActionDeclaration<StoreAction<State>>) {
            self.id = id
            self.declaration = declaration
        }
    }

    @usableFromInline var members: [AnyMember<State>] = []
    var actions: [NamedAction] = []
    /// The fetches, and the actions that cause them.
    var fetches: [(name: String, trigger: ObjectIdentifier, action: String)] = []
    @usableFromInline var selectors: [Selector<State>] = []
    @usableFromInline var services: [RemoteService] = []
    var makers: [@Sendable (RemoteClients) -> any Middleware<State, StoreAction<State>>] = []
    /// The errors in the elements, one sentence each.
    var problems: [String] = []

    @usableFromInline
    init() {}

    /// Adds an action and the errors in its fields, which matter only if clients send the action.
    @usableFromInline
    mutating func add(_ action: NamedAction, problems found: [String]) {
        actions.append(action)
        let name = action.declaration.type
        if action.declaration.audience == .client { problems += found.map { "The action \"\(name)\": \($0)" } }
        if !name.isActionName {
            problems.append("The name of the action \"\(name)\" must have only letters, digits and '-'.")
        }
    }

    @usableFromInline var definedActions: DefinedActions { DefinedActions(actions.map(\.id)) }

    @usableFromInline
    func middleware(_ clients: RemoteClients) -> [any Middleware<State, StoreAction<State>>] {
        makers.map { $0(clients) }
    }

    /// The actions by their types over HTTP. A name with a slash is a type by itself.
    @usableFromInline
    func catalogue(prefix: String) -> ActionSchema<StoreAction<State>> {
        let declarations = actions.map { $0.declaration.renamed { $0.contains("/") ? $0 : "\(prefix)/\($0)" } }
        // An action that two parts contain has one id and two types.
        let types = Dictionary(
            zip(actions, declarations).map { ($0.id, Optional($1.type)) }, uniquingKeysWith: { _, _ in nil })
        return ActionSchema(declarations) { action in
            if let type = types[action.id] ?? nil { return (type, action.payload) }
            for declaration in declarations {
                if let payload = declaration.write(action) { return (declaration.type, payload) }
            }
            return nil
        }
    }

    @usableFromInline
    func problems(of kind: String) -> [String] {
        var problems = problems
        if !kind.isStoreName { problems.append("The name \"\(kind)\" must have only letters, digits and '-'.") }
        let known = Set(actions.map(\.id))
        problems += fetches.filter { !known.contains($0.trigger) }.map {
            "The fetch \"\($0.name)\" follows the action \"\($0.action)\", which the definition does not contain."
        }
        return problems + memberProblems
    }

    /// The errors in the names of the members.
    var memberProblems: [String] {
        let names = members.map(\.member.name.description)
        return names.duplicates.map { "Two members have the name \"\($0)\"." }
            + names.filter { !$0.isMemberName }.map {
                "The name of the member \"\($0)\" must have only letters, digits, '-' and '_'."
            }
    }
}

/// Collects the elements of a ``StoreDefinition``.
@resultBuilder
public enum StoreBuilder<State: Sendable> {
    /// An element.
    @inlinable
    public static func buildExpression(_ element: some StoreElement<State>) -> StoreElements<State> {
        var elements = StoreElements<State>()
        element.add(to: &elements)
        return elements
    }

    /// A middleware or an interceptor, which see the actions of the whole store.
    public static func buildExpression(_ middleware: some Middleware<State, StoreAction<State>>) -> StoreElements<State>
    {
        var elements = StoreElements<State>()
        elements.makers.append { _ in middleware }
        return elements
    }

    /// All elements, in order.
    public static func buildBlock(_ blocks: StoreElements<State>...) -> StoreElements<State> {
        blocks.reduce(into: StoreElements()) { all, block in
            all.members += block.members
            all.actions += block.actions
            all.fetches += block.fetches
            all.selectors += block.selectors
            all.services += block.services
            all.makers += block.makers
            all.problems += block.problems
        }
    }
}

extension String {
    /// Whether it can name a store kind.
    var isStoreName: Bool { !isEmpty && utf8.allSatisfy { Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") } }

    /// Whether it can name an action: `book`, or `slice/book`.
    var isActionName: Bool {
        let words = split(separator: "/", omittingEmptySubsequences: false)
        return words.count <= 2 && words.allSatisfy { String($0).isStoreName }
    }

    /// Whether it can name a member of a state, which JSON and JSON Pointer then need not escape.
    var isMemberName: Bool {
        !isEmpty
            && utf8.allSatisfy { Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension Array where Element: Hashable {
    /// The elements that occur more than once, each once, in order.
    var duplicates: [Element] {
        var counts: [Element: Int] = [:]
        return filter { element in
            counts[element, default: 0] += 1
            return counts[element] == 2
        }
    }
}
