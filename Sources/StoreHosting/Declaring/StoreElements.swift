import JSON
public import RemoteServices
public import Stores

/// An element of a ``StoreDefinition``: ``Member``, ``Action``, ``Part``, ``Fetch`` and so on.
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

    /// A selector of any `Codable` value under a name, with a value for each reader. Its `encode(to:)` must not throw.
    ///
    /// - Parameters:
    ///   - name: the name by which clients select it: letters, digits, `-` and `_`.
    ///   - summary: the selected value, in a sentence.
    ///   - select: computes the value for a reader, who may be anonymous; called for each commit once for each reader who observes it,
    ///     and for each read. It must only read.
    @_disfavoredOverload
    public init<Value: Codable & Sendable>(
        _ name: String, _ summary: String,
        _ select: @escaping @Sendable (_ state: State, _ reader: Actor) -> Value
    ) {
        self.init(name, summary) { CodableJSON(select($0, $1)) }
    }
}

/// The elements of a definition, or of a slice that several definitions contain.
///
///     static let elements = StoreElements<Cart> {
///         Member("items", \.items)
///         add
///     }
public struct StoreElements<State: Sendable>: Sendable {
    @usableFromInline typealias CallPlace = any WritableKeyPath<State, PendingCalls> & Sendable

    @usableFromInline
    struct NamedAction: Sendable {
        @usableFromInline let handler: ActionHandler<State>
        let declaration: ActionDeclaration<StoreAction<State>>

        @usableFromInline
        init(handler: ActionHandler<State>, declaration: ActionDeclaration<StoreAction<State>>) {
            self.handler = handler
            self.declaration = declaration
        }
    }

    /// A fetch whose calls are in the state.
    struct Keeper: Sendable {
        let fetch: String
        let place: CallPlace
        /// Whether the program can continue a call that a state has kept.
        let reads: @Sendable (PendingCalls.Entry) -> Bool

        func isAt(_ place: CallPlace) -> Bool { self.place as AnyKeyPath == place as AnyKeyPath }
    }

    @usableFromInline var members: [AnyMember<State>] = []
    @usableFromInline var actions: [NamedAction] = []
    @usableFromInline var followers: [Follower<State>] = []
    @usableFromInline var invariants: [Invariant<State>] = []
    @usableFromInline var checks: [Check<State>] = []
    /// The fetches and calls, and the actions that cause them.
    var fetches: [(name: String, trigger: ObjectIdentifier, action: String)] = []
    /// The fetches that keep their calls, and the places of calls that have a member.
    var keepers: [Keeper] = []
    @usableFromInline var keptCalls: [(member: String, place: CallPlace)] = []
    /// The names of all fetches with `retry:`, those of the slices included.
    @usableFromInline var repeatedFetches: [String] = []
    /// The names of all fetches that do not tell a state that a restart has ended their calls, those of the slices included.
    @usableFromInline var silentFetches: [String] = []
    @usableFromInline var selectors: [Selector<State>] = []
    @usableFromInline var accesses: [Access<State>] = []
    /// One at most, unless the definition is wrong.
    var memberIDs: [MemberIDs<State>] = []
    @usableFromInline var services: [RemoteService] = []
    @usableFromInline var makers: [MiddlewareMaker<State>] = []
    /// The errors in the elements, one sentence each.
    var problems: [String] = []

    @usableFromInline
    init() {}

    /// Elements that several definitions contain.
    @inlinable
    public init(@StoreDefinition<State>.Builder _ content: () -> StoreElements) { self = content() }

    /// Adds an action and the errors in its fields, which matter only if clients send the action.
    @usableFromInline
    mutating func add(_ action: NamedAction, problems found: [String]) {
        actions.append(action)
        let name = action.declaration.type
        if action.declaration.audience != .internal { problems += found.map { "The action \"\(name)\": \($0)" } }
        if case .role(let role) = action.declaration.audience, !(1...64).contains(role.count) {
            problems.append("The role of the action \"\(name)\" must have 1 to 64 characters.")
        }
        if !name.isActionName {
            problems.append("The name of the action \"\(name)\" must have only letters, digits and '-'.")
        }
    }

    @inlinable var definedActions: DefinedActions<State> { DefinedActions(self) }

    @usableFromInline
    func middleware(_ clients: RemoteClients) -> [any Middleware<State, StoreAction<State>>] {
        makers.map { $0.make(clients) }
    }

    /// The actions by their types over HTTP. A name with a slash is a type by itself.
    @usableFromInline
    func catalogue(prefix: String) -> ActionSchema<StoreAction<State>> {
        let declarations = actions.map { $0.declaration.renamed { $0.contains("/") ? $0 : "\(prefix)/\($0)" } }
        let ids = actions.map { ObjectIdentifier($0.handler) }
        let types = declarations.map(\.type)
        return ActionSchema(declarations) { action in
            let id = ObjectIdentifier(action.handler)
            return ids.firstIndex { $0 == id }.map { (types[$0], action.payload) }
        }
    }

    @usableFromInline
    func problems(of kind: String) -> [String] {
        var problems = problems
        if !kind.isStoreName { problems.append("The name \"\(kind)\" must have only letters, digits and '-'.") }
        let known = knownActions
        problems += fetches.filter { !known.contains($0.trigger) }.map {
            "The fetch \"\($0.name)\" follows the action \"\($0.action)\", which the definition does not contain."
        }
        return problems + followerProblems + keeperProblems + memberProblems + memberIDProblems + accessProblems
    }

    private var knownActions: Set<ObjectIdentifier> { Set(actions.map { ObjectIdentifier($0.handler) }) }

    /// The errors in what the followers name.
    var followerProblems: [String] {
        let known = knownActions
        return followers.filter { !$0.isLast && !known.contains($0.action) }.map {
            "A Follow names the action \"\($0.name)\", which the definition does not contain."
        }
    }

    /// The conditions that a persisted state must meet.
    @usableFromInline var conditions: [Check<State>] {
        checks
            + keptCalls.map { member, place in
                let keepers = keepers.filter { $0.isAt(place) }
                return Check(
                    member, "must have calls of the fetches of the definition, with the fields of their actions"
                ) { state in
                    state[keyPath: place].allSatisfy { call in
                        keepers.contains { $0.fetch == call.fetch && $0.reads(call) }
                    }
                }
            }
    }

    /// The errors in the places where fetches keep their calls.
    var keeperProblems: [String] {
        keepers.filter { keeper in !keptCalls.contains { keeper.isAt($0.place) } }.map {
            "The fetch \"\($0.fetch)\" keeps its calls in a property without a Member, so they would not be persisted."
        }
    }

    /// The errors in the names of the members.
    var memberProblems: [String] {
        let names = members.flatMap { $0.names }
        return names.duplicates.map { "Two members have the name \"\($0.text)\"." }
            + names.map(\.text).filter { !$0.isMemberName }.map {
                "The name of the member \"\($0)\" must have only letters, digits, '-' and '_'."
            }
    }
}

/// A ``Follow`` among the elements of a definition.
@usableFromInline
struct Follower<State: Sendable>: Sendable {
    @usableFromInline let action: ObjectIdentifier
    let name: String
    /// How many actions stand above it.
    @usableFromInline var place: Int
    @usableFromInline let change: Change

    @usableFromInline typealias Change = @Sendable (AnyObject, inout State) -> Void

    /// The place behind all actions and all other followers. Sums of places do not overflow.
    @usableFromInline static var last: Int { .max / 2 }
    @usableFromInline var isLast: Bool { place >= Self.last }

    @usableFromInline
    init(action: ObjectIdentifier, name: String, place: Int, change: @escaping Change) {
        self.action = action
        self.name = name
        self.place = place
        self.change = change
    }
}

extension StoreDefinition {
    /// Collects the elements of a ``StoreDefinition``.
    @resultBuilder
    public enum Builder {
        /// An element.
        @inlinable
        public static func buildExpression(_ element: some StoreElement<State>) -> StoreElements<State> {
            var elements = StoreElements<State>()
            element.add(to: &elements)
            return elements
        }

        /// Elements that several definitions contain.
        public static func buildExpression(_ elements: StoreElements<State>) -> StoreElements<State> { elements }

        /// A middleware or an interceptor, which see the actions of the whole store.
        public static func buildExpression(_ middleware: some Middleware<State, StoreAction<State>>) -> StoreElements<
            State
        > {
            var elements = StoreElements<State>()
            elements.makers.append(MiddlewareMaker { _ in middleware })
            return elements
        }

        /// All elements, in order.
        public static func buildBlock(_ blocks: StoreElements<State>...) -> StoreElements<State> {
            blocks.reduce(into: StoreElements()) { all, block in
                all.followers += block.followers.map { follower in
                    var follower = follower
                    follower.place += all.actions.count
                    return follower
                }
                all.members += block.members
                all.actions += block.actions
                all.invariants += block.invariants
                all.checks += block.checks
                all.fetches += block.fetches
                all.keepers += block.keepers
                all.keptCalls += block.keptCalls
                all.repeatedFetches += block.repeatedFetches
                all.silentFetches += block.silentFetches
                all.selectors += block.selectors
                all.accesses += block.accesses
                all.memberIDs += block.memberIDs
                all.services += block.services
                all.makers += block.makers
                all.problems += block.problems
            }
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
