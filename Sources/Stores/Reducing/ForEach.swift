/// Runs a reducer on one element of many, by its key; an action for an element that is gone is ignored.
///
///     Slice(\.tasks, .task, ForEach(TaskReducer()))
///
/// The elements stand in an ``EntityTable`` by their ids, in a dictionary by their keys, or in an array by their places.
public struct ForEach<Elements: KeyedElements & Sendable, Part: Reducer>: Reducer
where Elements.Key: Sendable, Elements.Value == Part.State {
    @usableFromInline let part: PreparedReducer<Part.State, Part.Action>

    /// Runs `part` on the element that an action names.
    ///
    /// - Parameter part: the reducer of each element.
    @inlinable
    public init(_ part: Part) { self.part = part.prepared }

    @inlinable
    public func decide(_ action: ElementAction<Elements.Key, Part.Action>, in state: Elements) -> Decision {
        guard let element = state.element(of: action.key) else { return .ignore }
        return part.decide(action.action, in: element)
    }

    @inlinable
    public func reduce(_ state: inout Elements, _ action: ElementAction<Elements.Key, Part.Action>) {
        state.changeElement(of: action.key) { part.reduce(&$0, action.action) }
    }
}
