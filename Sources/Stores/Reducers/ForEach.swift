/// Runs a reducer on the element with a given key. An action for an element that is gone is ignored.
///
///     Scope(\.tasks, .task, ForEach(TaskReducer()))
///
/// The elements are in an ``EntityTable`` (the key is the id), a dictionary, or an array (the key is the index).
public struct ForEach<Elements: KeyedElements & Sendable, Part: Reducer>: ComposedReducer
where Elements.Key: Sendable, Elements.Value == Part.State {
    public let body: AnyReducer<Elements, ElementAction<Elements.Key, Part.Action>>

    /// Runs `part` on the element whose key is in the action.
    ///
    /// - Parameter part: the reducer of each element.
    @inlinable
    public init(_ part: Part) {
        let part = part.prepared
        body = AnyReducer(
            decide: { action, state, abstentions in
                guard let element = state.element(of: action.key) else { return .ignore }
                return part.decide(action.action, in: element, &abstentions)
            },
            reduce: { action, state, abstentions in
                state.changeElement(of: action.key) { part.reduce(&$0, action.action, abstentions) }
            }, middleware: part.middleware.map { $0.forEach() }, onlyFollows: part.onlyFollows)
    }
}
