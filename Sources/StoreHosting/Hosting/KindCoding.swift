import JSON
import Stores

/// How the states and the actions of one kind are encoded. All of its stores share it.
@usableFromInline
final class KindCoding<State: DiffableState, Action: Sendable>: Sendable {
    let encoder: StateEncoder<State>
    let names: FaultNames
    let describe: @Sendable (Action) -> ActionSchema<Action>.Description?
    /// The index of an action's type among the declarations.
    let index: @Sendable (String) -> Int?

    @usableFromInline
    init(_ encoder: StateEncoder<State>, _ catalogue: ActionSchema<Action>, _ names: FaultNames) {
        self.encoder = encoder
        self.names = names
        describe = catalogue.encoder
        index = catalogue.index
    }
}
