import JSON
import Stores

/// How the states and the actions of one kind are encoded. All of its stores share it.
@usableFromInline
final class KindCoding<State: DiffableState, Action: Sendable>: Sendable {
    let encoder: StateEncoder<State>
    let names: FaultNames
    /// The type of an action, and its payload with redacted secrets; nil if the action is not declared.
    let describe: Describer
    /// The index of an action's type among the declarations.
    let index: @Sendable (String) -> Int?

    /// Passes the parts of a state to a differ.
    let findChanges: ChangeFinder
    /// Passes the private members of a state to an encoder.
    let encodePrivate: PrivateEncoder

    @usableFromInline typealias Describer = @Sendable (UnsafePointer<Action>) -> ActionSchema<Action>.Description?
    @usableFromInline typealias ChangeFinder = @Sendable (UnsafePointer<State>, inout StateDiffer) -> Void
    @usableFromInline typealias PrivateEncoder =
        @Sendable (UnsafePointer<State>, StateEncoder<State>, inout PrivateStateEncoder) -> Void

    // Inlinable, so that the compiler specializes the closures for the type of the state.
    @inlinable
    convenience init(_ encoder: StateEncoder<State>, _ catalogue: ActionSchema<Action>, _ names: FaultNames) {
        self.init(
            encoder, catalogue, names,
            describe: { [describe = catalogue.encoder] action in
                action.withMemoryRebound(to: InPlace<Action>.self, capacity: 1) { $0.pointee.pass(to: describe) }
            },
            findChanges: encoder.findChanges ?? { state, differ in
                state.withMemoryRebound(to: InPlace<State>.self, capacity: 1) { $0.pointee.findChanges(&differ) }
            },
            encodePrivate: { state, encoder, members in encoder.encodePrivateState(of: state, into: &members) })
    }

    @usableFromInline
    init(
        _ encoder: StateEncoder<State>, _ catalogue: ActionSchema<Action>, _ names: FaultNames,
        describe: @escaping Describer, findChanges: @escaping ChangeFinder, encodePrivate: @escaping PrivateEncoder
    ) {
        self.encoder = encoder
        self.names = names
        self.findChanges = findChanges
        self.encodePrivate = encodePrivate
        self.describe = describe
        index = catalogue.index
    }
}

extension InPlace where Value: DiffableState {
    @inlinable
    borrowing func findChanges(_ differ: inout StateDiffer) { value.findChanges(&differ) }
}
