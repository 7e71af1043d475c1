/// Gives a reducer undo and redo, with a bounded history.
///
///     Slice(\.drawing, .drawing, Undoable(DrawingReducer(), limit: 50))
///
/// A change that is accepted puts the state before it into the past and empties the future; what is ignored or rejected
/// makes no history. Past and future together never hold more than `limit` states: the oldest is forgotten first.
///
/// Each change keeps a snapshot of the wrapped state, so the next one copies the collections that it touches. Wrap the
/// slice that needs it, and not a whole state with large tables.
public struct Undoable<Part: Reducer>: Reducer {
    @usableFromInline let part: PreparedReducer<Part.State, Part.Action>
    @usableFromInline let limit: Int
    @usableFromInline let filter: @Sendable (Part.Action) -> Bool

    /// Gives `part` a history.
    ///
    /// - Parameters:
    ///   - part: the reducer of the present.
    ///   - limit: how many states are kept; below one, none.
    ///   - filter: whether the change of an action makes history. One that makes none leaves past and future as they
    ///     are, and goes with the present that it changed when that is undone.
    @inlinable
    public init(
        _ part: Part, limit: Int, filter: @escaping @Sendable (Part.Action) -> Bool = { _ in true }
    ) {
        self.part = part.prepared
        self.limit = limit
        self.filter = filter
    }

    @inlinable
    public func decide(_ action: UndoableAction<Part.Action>, in state: History<Part.State>) -> Decision {
        switch action {
        case .undo: state.canUndo ? .accept : .ignore
        case .redo: state.canRedo ? .accept : .ignore
        case .clearHistory: state.canUndo || state.canRedo ? .accept : .ignore
        case .present(let action): part.decide(action, in: state.present)
        }
    }

    @inlinable
    public func reduce(_ state: inout History<Part.State>, _ action: UndoableAction<Part.Action>) {
        switch action {
        case .undo:
            guard let before = state.past.popLast() else { return }
            state.future.append(state.present)
            state.present = before
        case .redo:
            guard let after = state.future.popLast() else { return }
            state.past.append(state.present)
            state.present = after
        case .clearHistory:
            state.past = []
            state.future = []
        case .present(let action):
            // Asked again: it may be here for what another part accepted, and that is none of this history.
            if filter(action), case .accept = part.decide(action, in: state.present) { remember(&state) }
            part.reduce(&state.present, action)
        }
    }

    @inlinable
    public func apply(
        _ action: UndoableAction<Part.Action>, to state: inout History<Part.State>
    ) -> Decision {
        let decision = decide(action, in: state)
        guard case .accept = decision else { return decision }
        if case .present(let action) = action {
            if filter(action) { remember(&state) }
            part.reduce(&state.present, action)
        } else {
            reduce(&state, action)
        }
        return decision
    }

    /// Puts the present into the past, before it changes.
    @inlinable
    func remember(_ state: inout History<Part.State>) {
        state.future = []
        guard limit > 0 else { return }
        state.past.removeFirst(max(0, state.past.count - limit + 1))
        state.past.append(state.present)
    }
}
