/// The actions of an ``Undoable``: those of the reducer that it wraps, and its own.
public enum UndoableAction<Action: Sendable>: Sendable {
    /// Goes back to the state before the last change; ignored where there is none.
    case undo
    /// Takes back the last undo; ignored where there was none since the last change.
    case redo
    /// Forgets past and future and keeps the present; ignored where there are none.
    case clearHistory
    /// An action of the wrapped reducer.
    case present(Action)
}

extension UndoableAction: Equatable where Action: Equatable {}
