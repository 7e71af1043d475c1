import JSON
import Stores

/// How the states and the actions of one kind are encoded. All of its stores share it.
@usableFromInline
final class KindCoding<State: DiffableState, Action: Sendable>: Sendable {
    let encoder: StateEncoder<State>
    let names: FaultNames
    /// The members of the initial state; nil if the kind names none.
    @usableFromInline let initialMembers: [ActorID]?
    /// The type of an action, and its payload with redacted secrets; nil if the action is not declared.
    let describe: Describer
    /// The index of an action's type among the declarations.
    let index: @Sendable (String) -> Int?

    /// The members that an action can change.
    let reach: Reach
    /// Passes members of a state to a differ.
    let findChanges: ChangeFinder
    /// Passes the private members of a state to an encoder.
    let encodePrivate: PrivateEncoder

    @usableFromInline typealias Describer = @Sendable (UnsafePointer<Action>) -> ActionSchema<Action>.Description?
    @usableFromInline typealias ChangeFinder = StateEncoder<State>.ChangeFinder
    @usableFromInline typealias Reach = @Sendable (UnsafePointer<Action>) -> MemberSet
    @usableFromInline typealias PrivateEncoder =
        @Sendable (UnsafePointer<State>, StateEncoder<State>, inout JSONValue.PrivateEncoder) -> Void

    // Inlinable, so that the compiler specializes the closures for the type of the state.
    @inlinable
    convenience init(_ encoder: StateEncoder<State>, _ catalogue: ActionSchema<Action>, _ names: FaultNames) {
        self.init(
            encoder, catalogue, names,
            describe: { [describe = catalogue.encoder] action in
                action.withMemoryRebound(to: InPlace<Action>.self, capacity: 1) { $0.pointee.pass(to: describe) }
            },
            reach: Self.reach(catalogue),
            findChanges: encoder.findChanges ?? { state, _, differ in
                state.withMemoryRebound(to: InPlace<State>.self, capacity: 1) { $0.pointee.findChanges(&differ) }
            },
            encodePrivate: { state, encoder, members in encoder.encodePrivateState(of: state, into: &members) })
    }

    @inlinable
    static func reach(_ catalogue: ActionSchema<Action>) -> Reach {
        guard let reach = catalogue.reach else { return { _ in .all } }
        return { action in
            action.withMemoryRebound(to: InPlace<Action>.self, capacity: 1) { $0.pointee.pass(to: reach) }
        }
    }

    @usableFromInline
    init(
        _ encoder: StateEncoder<State>, _ catalogue: ActionSchema<Action>, _ names: FaultNames,
        describe: @escaping Describer, reach: @escaping Reach, findChanges: @escaping ChangeFinder,
        encodePrivate: @escaping PrivateEncoder
    ) {
        self.encoder = encoder
        self.names = names
        initialMembers = encoder.memberIDs?.members(of: encoder.initialState, in: names, FaultLabel(""))
        self.findChanges = findChanges
        self.encodePrivate = encodePrivate
        self.describe = describe
        self.reach = reach
        index = catalogue.index
    }
}

extension InPlace where Value: DiffableState {
    @inlinable
    borrowing func findChanges(_ differ: inout StateDiffer) { value.findChanges(&differ) }
}
