import JSON
import RemoteServices
import Stores

/// A slice of the state with members, actions and effects of its own, which may be a part of several stores.
///
///     Part("cart", \.cart) {
///         Member("items", \.items)
///         Action("add", "Adds an item.", .text("item", 1...80, example: "Tea")) { cart, item in cart.items.append(item) }
///     }
///
/// Its members form the object `cart`, and its actions have the types `cart/add` and so on.
public struct Part<State: Sendable, Slice: Sendable>: StoreElement {
    private let id = ActionID()
    private let name: StaticString
    private let path: any WritableKeyPath<State, Slice> & Sendable
    private let slice: StoreElements<Slice>

    /// A slice.
    ///
    /// - Parameters:
    ///   - name: a constant: the name of its member, and of its actions before the slash.
    ///   - path: its place in the state.
    ///   - content: its members, actions and effects.
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Slice> & Sendable,
        @StoreBuilder<Slice> content: () -> StoreElements<Slice>
    ) {
        self.name = name
        self.path = path
        slice = content()
    }

    /// An action of the slice as an action of the store.
    public func callAsFunction(_ action: StoreAction<Slice>) -> StoreAction<State> {
        StoreAction(call: PartCall(call: action.call, path: path, part: id))
    }

    public func add(to elements: inout StoreElements<State>) {
        elements.members.append(PartMember(name: name, path: path, members: MemberList(slice.members)))
        let casePath = casePath
        elements.actions += slice.actions.map { action in
            let declaration = action.declaration.renamed { [name] in $0.contains("/") ? $0 : "\(name)/\($0)" }
            return .init(id: action.id, declaration: declaration.embedded(in: casePath))
        }
        elements.selectors += slice.selectors.map { $0.pulledBack(to: path) }
        elements.services += slice.services
        elements.makers += slice.makers.map { make in
            { [path] clients in make(clients).erasedScope(path, casePath) }
        }
        elements.problems += slice.problems + slice.memberProblems
    }

    private var casePath: CasePath<StoreAction<State>, StoreAction<Slice>> {
        CasePath(
            embed: { [path, id] action in StoreAction(call: PartCall(call: action.call, path: path, part: id)) },
            extract: { [id] action, body in
                if let call = action.call as? PartCall<State, Slice>, call.part == id {
                    body(StoreAction(call: call.call))
                }
            })
    }
}

extension Middleware {
    /// The same middleware for a store that contains its state and its actions.
    func erasedScope<ParentState: Sendable, ParentAction: Sendable>(
        _ state: any KeyPath<ParentState, State> & Sendable, _ action: CasePath<ParentAction, Action>
    ) -> any Middleware<ParentState, ParentAction> {
        (self as? any Interceptor<State, Action>)?.scopedInterceptor(state, action) ?? scoped(state, action)
    }

    func erasedScope<ParentState: Sendable>(
        _ state: any KeyPath<ParentState, State> & Sendable
    ) -> any Middleware<ParentState, Action> { erasedScope(state, .whole) }
}

extension Interceptor {
    fileprivate func scopedInterceptor<ParentState: Sendable, ParentAction: Sendable>(
        _ state: any KeyPath<ParentState, State> & Sendable, _ action: CasePath<ParentAction, Action>
    ) -> any Middleware<ParentState, ParentAction> { scoped(state, action) }
}

extension Selector {
    /// The same selector for a state that contains this one.
    func pulledBack<Parent: Sendable>(to path: any KeyPath<Parent, State> & Sendable) -> Selector<Parent> {
        Selector<Parent>(name, summary, write: { [write] state, json in write(state[keyPath: path], &json) })
    }
}

private struct PartMember<State: Sendable, Slice: Sendable>: StateMember {
    let name: StaticString
    let path: any WritableKeyPath<State, Slice> & Sendable
    let members: MemberList<Slice>

    var schema: JSONSchema? { members.schema }
    var isPrivate: Bool { members.hasPrivateMembers }

    func visit(_ state: State, _ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(name, DefinedState(value: state[keyPath: path], members: members))
    }

    func encodePrivate(_ state: State, into encoder: inout PrivateStateEncoder) {
        encoder.part(name) { members.encodePrivate(state[keyPath: path], into: &$0) }
    }

    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        guard let object: PersistedObject = try persisted.member(ifPresent: name.description) else { return false }
        do throws(RestorationError) {
            return try members.restore(object.value, into: &state[keyPath: path])
        } catch {
            throw error.below(name.description)
        }
    }
}

/// An action of a slice, as an action of the whole.
private struct PartCall<State: Sendable, Slice: Sendable>: ActionCall {
    let call: any ActionCall<Slice>
    let path: any WritableKeyPath<State, Slice> & Sendable
    /// Of the ``Part``, because a state may have two slices of one type.
    let part: ActionID

    var id: ActionID { call.id }
    var name: String { call.name }
    var payload: JSONObject { call.payload }

    func decide(_ state: State) -> Decision { call.decide(state[keyPath: path]) }

    func reduce(_ state: inout State) { call.reduce(&state[keyPath: path]) }
}
