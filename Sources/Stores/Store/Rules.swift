/// A reducer as a store calls it, whatever its type; any number of stores share it.
///
/// The functions are made where the type is known, so that the compiler specializes them.
@usableFromInline
final class Rules<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let apply: @Sendable (Action, inout State) -> Decision
    @usableFromInline let reduce: @Sendable (Action, inout State) -> Void

    @inlinable
    init(_ reducer: some Reducer<State, Action>) {
        apply = { reducer.apply($0, to: &$1) }
        reduce = { reducer.reduce(&$1, $0) }
    }
}
