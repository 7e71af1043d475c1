public import JSON
import RemoteServices
public import Stores

/// A slice of the state with members, actions and effects of its own, which may be a part of several stores.
///
///     Part("cart", \.cart) {
///         Member("items", \.items)
///         Action("add", "Adds an item.", .text("item", 1...80, example: "Tea")) { cart, item in cart.items.append(item) }
///     }
///
/// Its members form the object `cart`, and its actions have the types `cart/add` and so on.
public struct Part<State: Sendable, Slice: Sendable>: StoreElement {
    private let name: StaticString
    private let path: any WritableKeyPath<State, Slice> & Sendable
    private let slice: StoreElements<Slice>
    private let member: AnyMember<State>
    private let handler: ActionHandler<State>

    /// A slice.
    ///
    /// - Parameters:
    ///   - name: a constant: the name of its member, and of its actions before the slash.
    ///   - path: its place in the state.
    ///   - content: its members, actions and effects.
    @inlinable
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Slice> & Sendable,
        @StoreBuilder<Slice> content: () -> StoreElements<Slice>
    ) {
        let slice = content()
        let place = StateAccessor(path)
        // The casts hold: only `callAsFunction(_:)` makes actions with this handler.
        self.init(
            name, path, slice, AnyMember(PartMember(name, place, MemberList(slice.members))),
            ActionHandler(
                name: { unsafeDowncast($0, to: ValueBox<StoreAction<Slice>>.self).value.name },
                payload: { unsafeDowncast($0, to: ValueBox<StoreAction<Slice>>.self).value.payload },
                decide: { box, state in
                    place.read(state) { unsafeDowncast(box, to: ValueBox<StoreAction<Slice>>.self).value.decide($0) }
                },
                reduce: { box, state in
                    place.change(&state) {
                        unsafeDowncast(box, to: ValueBox<StoreAction<Slice>>.self).value.reduce(&$0)
                    }
                }))
    }

    @usableFromInline
    init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Slice> & Sendable, _ slice: StoreElements<Slice>,
        _ member: AnyMember<State>, _ handler: ActionHandler<State>
    ) {
        self.name = name
        self.path = path
        self.slice = slice
        self.member = member
        self.handler = handler
    }

    /// An action of the slice as an action of the store.
    public func callAsFunction(_ action: StoreAction<Slice>) -> StoreAction<State> {
        // An object of its own, because a state may have two slices of one type.
        StoreAction(id: action.id, handler: handler, values: ValueBox(action))
    }

    public func add(to elements: inout StoreElements<State>) {
        elements.members.append(member)
        let casePath = casePath
        elements.actions += slice.actions.map { action in
            let declaration = action.declaration.renamed { [name] in $0.contains("/") ? $0 : "\(name)/\($0)" }
            return .init(id: action.id, declaration: declaration.embedded(in: casePath))
        }
        elements.fetches += slice.fetches
        elements.selectors += slice.selectors.map { $0.pulledBack(to: path) }
        elements.services += slice.services
        elements.makers += slice.makers.map { make in
            { [path] clients in make(clients).scoped(path, casePath) }
        }
        elements.problems += slice.problems + slice.memberProblems
    }

    private var casePath: CasePath<StoreAction<State>, StoreAction<Slice>> {
        CasePath(
            embed: { [self] action in self(action) },
            extract: { [handler] action, body in
                if action.handler === handler {
                    body(unsafeDowncast(action.values, to: ValueBox<StoreAction<Slice>>.self).value)
                }
            })
    }
}

extension Selector {
    /// Converts this selector for a state that contains this one.
    @usableFromInline
    func pulledBack<Parent: Sendable>(to path: any KeyPath<Parent, State> & Sendable) -> Selector<Parent> {
        Selector<Parent>(name, summary, write: { [write] state, json in write(state[keyPath: path], &json) })
    }
}

@usableFromInline
struct PartMember<State: Sendable, Slice: Sendable>: StateMember {
    @usableFromInline let name: StaticString
    @usableFromInline let place: StateAccessor<State, Slice>
    @usableFromInline let members: MemberList<Slice>

    @inlinable
    init(_ name: StaticString, _ place: StateAccessor<State, Slice>, _ members: MemberList<Slice>) {
        self.name = name
        self.place = place
        self.members = members
    }

    @usableFromInline var isPrivate: Bool { members.hasPrivateMembers }

    @inlinable
    func visit(_ state: State, _ visitor: inout some MemberVisitor & ~Copyable) {
        place.read(state) { visitor.member(name, DefinedState(value: $0, members: members)) }
    }

    @inlinable
    func findChanges(_ state: State, _ differ: inout StateDiffer) {
        place.read(state) { slice in differ.part(name) { members.findChanges(slice, &$0) } }
    }

    @inlinable
    func encode(_ state: State, into json: inout JSONWriter) {
        place.read(state) { slice in json.member(name, object: { members.encode(slice, &$0) }) }
    }

    @inlinable
    func encodePrivate(_ state: State, into encoder: inout PrivateStateEncoder) {
        place.read(state) { slice in encoder.part(name) { members.encodePrivate(slice, into: &$0) } }
    }

    @usableFromInline
    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        guard let object: PersistedObject = try persisted.member(ifPresent: name.description) else { return false }
        var slice = place.read(state) { $0 }
        do throws(RestorationError) {
            let isComplete = try members.restore(object.value, into: &slice)
            place.change(&state) { $0 = slice }
            return isComplete
        } catch {
            throw error.below(name.description)
        }
    }
}
