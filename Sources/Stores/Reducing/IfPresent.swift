/// Runs a reducer on a state that may be absent; nil, and the action is ignored.
///
///     Slice(\.draft, .draft, IfPresent(DraftReducer()))
public struct IfPresent<Part: Reducer>: Reducer {
    @usableFromInline let part: PreparedReducer<Part.State, Part.Action>

    /// Runs `part` on what is there.
    ///
    /// - Parameter part: the reducer of what is there.
    @inlinable
    public init(_ part: Part) { self.part = part.prepared }

    @inlinable
    public func decide(_ action: Part.Action, in state: Part.State?) -> Decision {
        guard let present = state else { return .ignore }
        return part.decide(action, in: present)
    }

    @inlinable
    public func reduce(_ state: inout Part.State?, _ action: Part.Action) {
        // Taken out, changed and put back: a copy beside it would make every collection in it copy itself.
        guard var present = state.take() else { return }
        part.reduce(&present, action)
        state = present
    }

    @inlinable
    public func apply(_ action: Part.Action, to state: inout Part.State?) -> Decision {
        guard var present = state.take() else { return .ignore }
        let decision = part.apply(action, to: &present)
        state = present
        return decision
    }
}
