import JSON
import RemoteServices
public import Stores

/// A slice of the state with members, actions and effects of its own, which may be a part of several stores.
///
///     Part("cart", \.cart) {
///         Member("items", \.items)
///         Action("add", "Adds an item.", .text("item", 1...80, example: "Tea")) { cart, item in cart.items.append(item) }
///     }
///
/// Its members form the object `cart`, and its actions have the types `cart/add` and so on. A part without a name groups what
/// belongs to the whole:
///
///     Part(\.planner) { Planner.elements }
public struct Part<State: Sendable, Slice: Sendable>: StoreElement {
    private let name: StaticString?
    private let path: any WritableKeyPath<State, Slice> & Sendable
    private let slice: StoreElements<Slice>
    private let member: AnyMember<State>
    private let handlers: PartHandlers<State, Slice>

    /// A slice.
    ///
    /// - Parameters:
    ///   - name: a constant: the name of its member, and of its actions before the slash.
    ///   - path: its place in the state.
    ///   - content: its members, actions and effects.
    @inlinable
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Slice> & Sendable,
        @StoreDefinition<Slice>.Builder content: () -> StoreElements<Slice>
    ) {
        let slice = content()
        let place = StateAccessor(path)
        self.init(
            name, path, slice, AnyMember(PartMember(name, place, MemberList(slice))), PartHandlers(slice, place))
    }

    /// A slice whose members and actions belong to the whole: the members stand beside those of the state, and the actions have the
    /// types that they have there.
    ///
    /// - Parameters:
    ///   - path: its place in the state.
    ///   - content: its members, actions and effects.
    @inlinable
    public init(
        _ path: any WritableKeyPath<State, Slice> & Sendable,
        @StoreDefinition<Slice>.Builder content: () -> StoreElements<Slice>
    ) {
        let slice = content()
        let place = StateAccessor(path)
        self.init(nil, path, slice, AnyMember(SliceMembers(place, MemberList(slice))), PartHandlers(slice, place))
    }

    @usableFromInline
    init(
        _ name: StaticString?, _ path: any WritableKeyPath<State, Slice> & Sendable, _ slice: StoreElements<Slice>,
        _ member: AnyMember<State>, _ handlers: PartHandlers<State, Slice>
    ) {
        self.name = name
        self.path = path
        self.slice = slice
        self.member = member
        self.handlers = handlers
    }

    /// An action of the slice as an action of the store.
    public func callAsFunction(_ action: StoreAction<Slice>) -> StoreAction<State> {
        StoreAction(handler: handlers.handler(of: action.handler), values: action.values)
    }

    @usableFromInline
    func handler(of action: ActionHandler<Slice>) -> ActionHandler<State> { handlers.handler(of: action) }

    /// The type of an action of the slice in the state, such as `cart/add`.
    @usableFromInline
    func typeName(of action: ActionHandler<Slice>) -> String { typeName(action.name) }

    private func typeName(_ type: String) -> String { name.map { type.contains("/") ? type : "\($0)/\(type)" } ?? type }

    public func add(to elements: inout StoreElements<State>) {
        elements.members.append(member)
        elements.actions += slice.actions.map { action in
            let declaration = action.declaration.renamed(typeName)
            let handler = handlers.handler(of: action.handler)
            return .init(handler: handler, declaration: ActionDeclaration(declaration, as: handler))
        }
        let casePath = casePath
        elements.fetches += slice.fetches.map { ($0.name, handlers.id(of: $0.trigger), $0.action) }
        elements.selectors += slice.selectors.map { $0.pulledBack(to: path) }
        elements.services += slice.services
        elements.repeatedFetches += slice.repeatedFetches
        elements.silentFetches += slice.silentFetches
        elements.makers += slice.makers.map { maker in
            MiddlewareMaker(actions: maker.actions.map { $0.map(handlers.id) }) { [path] clients in
                maker.make(clients).scoped(path, casePath)
            }
        }
        if !slice.memberIDs.isEmpty {
            elements.problems.append("Members is an element of the definition, not of a Part.")
        }
        elements.problems +=
            slice.problems + slice.followerProblems + slice.keeperProblems + slice.accessProblemsOfSlice
        // The members of a slice without a name are checked with those of the state.
        if name != nil { elements.problems += slice.memberProblems }
    }

    private var casePath: CasePath<StoreAction<State>, StoreAction<Slice>> {
        CasePath(
            embed: { [self] action in self(action) },
            extract: { [token = handlers.token] action, body in
                guard let origin = action.handler.origin, origin.part === token else { return }
                // The cast holds: the handlers of the part have such origins.
                let handler = unsafeDowncast(origin.handler, to: ActionHandler<Slice>.self)
                body(StoreAction(handler: handler, values: action.values))
            })
    }
}

/// The handlers of a part's actions, made of those of the slice once, so that an action of a part costs as much as one of the state.
@usableFromInline
final class PartHandlers<State: Sendable, Slice: Sendable>: Sendable {
    let token: PartToken
    private let handlers: [ObjectIdentifier: ActionHandler<State>]
    private let place: StateAccessor<State, Slice>

    @inlinable
    convenience init(_ slice: StoreElements<Slice>, _ place: StateAccessor<State, Slice>) {
        let token = PartToken()
        let handlers = slice.actions.indices.map { index in
            let handler = slice.actions[index].handler
            return (ObjectIdentifier(handler), Self.lift(handler, slice.completeHandler(at: index), place, token))
        }
        self.init(token, Dictionary(handlers, uniquingKeysWith: { first, _ in first }), place)
    }

    @usableFromInline
    init(
        _ token: PartToken, _ handlers: [ObjectIdentifier: ActionHandler<State>], _ place: StateAccessor<State, Slice>
    ) {
        self.token = token
        self.handlers = handlers
        self.place = place
    }

    /// - Parameters:
    ///   - handler: the handler of an action of the slice.
    ///   - complete: the handler with what follows the action in the slice.
    @inlinable
    static func lift(
        _ handler: ActionHandler<Slice>, _ complete: ActionHandler<Slice>, _ place: StateAccessor<State, Slice>,
        _ token: PartToken
    ) -> ActionHandler<State> {
        let (decide, reduce) = (complete.decide, complete.reduce)
        return ActionHandler(
            name: handler.name, payload: handler.payload, clearPayload: handler.clearPayload,
            decide: { values, state in place.read(at: state) { decide(values, $0) } },
            reduce: { values, state in place.change(&state) { reduce(values, &$0) } }, filling: handler.filling,
            extent: place.extent.map { part in complete.extent.map { $0.moved(by: part.lowerBound) } ?? part },
            origin: (token, handler))
    }

    /// The handler of an action of the slice. An action that the slice does not contain gets a new one, which no definition knows.
    func handler(of action: ActionHandler<Slice>) -> ActionHandler<State> {
        handlers[ObjectIdentifier(action)] ?? Self.lift(action, action, place, token)
    }

    /// The identity of a handler here; its own if the slice does not contain the action.
    func id(of action: ObjectIdentifier) -> ObjectIdentifier { handlers[action].map { ObjectIdentifier($0) } ?? action }
}

extension Range<Int> {
    @usableFromInline
    func moved(by distance: Int) -> Range { lowerBound + distance..<upperBound + distance }
}

extension Selector {
    /// Converts this selector for a state that contains this one.
    @usableFromInline
    func pulledBack<Parent: Sendable>(to path: any KeyPath<Parent, State> & Sendable) -> Selector<Parent> {
        Selector<Parent>(
            name, summary, dependsOnActor: dependsOnActor,
            write: { [write] state, reader, json in write(state[keyPath: path], reader, &json) })
    }
}
