/// Gives a reducer undo and redo, with a bounded history.
///
///     Scope(\.drawing, .drawing, Undoable(DrawingReducer(), limit: 50))
///
/// An accepted change appends the state before it to the past and empties the future. Ignored and rejected actions make no
/// history. Past and future together never hold more than `limit` states: the oldest is removed first.
///
/// Each change stores a snapshot of the wrapped state, so the next one copies the collections that it touches. Wrap the slice
/// that needs undo, and not a whole state with large tables.
public struct Undoable<Part: Reducer>: Reducer {
    @usableFromInline let part: AnyReducer<Part.State, Part.Action>
    @usableFromInline let limit: Int
    @usableFromInline let filter: @Sendable (Part.Action) -> Bool

    /// Gives `part` a history.
    ///
    /// - Parameters:
    ///   - part: the reducer of the present state.
    ///   - limit: the maximum number of past and future states. Below 1 there is no history.
    ///   - filter: whether an action makes history. One that makes none changes the present only, and an undo reverts its change
    ///     together with the present.
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
            // Decide again: the action may have been accepted by another part only, which makes no history here.
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

    @inlinable public var prepared: AnyReducer<History<Part.State>, UndoableAction<Part.Action>> {
        let action = CasePath<UndoableAction<Part.Action>, Part.Action>(
            embed: { .present($0) }, extract: { if case .present(let action) = $0 { $1(action) } })
        return AnyReducer(
            self, middleware: part.middleware.map { $0.scoped(\History<Part.State>.present, action) },
            onlyFollows: part.onlyFollows)
    }

    /// Appends the present to the past, before it changes.
    @inlinable
    func remember(_ state: inout History<Part.State>) {
        state.future = []
        guard limit > 0 else { return }
        state.past.removeFirst(max(0, state.past.count - limit + 1))
        state.past.append(state.present)
    }
}

/// The actions of an ``Undoable``: its own, and those of the wrapped reducer.
public enum UndoableAction<Action: Sendable>: Sendable {
    /// Goes back to the state before the last change. Ignored if there is none.
    case undo
    /// Reverts the last undo. Ignored if there was none since the last change.
    case redo
    /// Removes past and future. Ignored if there are none.
    case clearHistory
    /// An action of the wrapped reducer.
    case present(Action)
}

extension UndoableAction: Equatable where Action: Equatable {}

/// The state of an ``Undoable``: a state with its past and its undone states.
public struct History<Present: Sendable>: Sendable {
    /// The earlier states, the oldest first.
    public var past: [Present] = []
    /// The current state.
    public var present: Present
    /// The undone states, the next redo last.
    public var future: [Present] = []

    /// A history that begins with `present`.
    @inlinable
    public init(_ present: Present) { self.present = present }

    /// Whether there is something to undo.
    @inlinable
    public var canUndo: Bool { !past.isEmpty }

    /// Whether there is something to redo.
    @inlinable
    public var canRedo: Bool { !future.isEmpty }
}

extension History: Equatable where Present: Equatable {}
