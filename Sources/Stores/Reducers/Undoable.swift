/// Gives a reducer undo and redo, with a bounded history.
///
///     Scope(\.drawing, .drawing, Undoable(DrawingReducer(), limit: 50))
///
/// An accepted change appends the state before it to the past and empties the future. Ignored and rejected actions make no
/// history. Past and future together never hold more than `limit` states: the oldest is removed first.
///
/// Each change stores a snapshot of the wrapped state, so the next one copies the collections that it touches. Wrap the slice
/// that needs undo, and not a whole state with large tables.
public struct Undoable<Part: Reducer>: ComposedReducer {
    public let body: AnyReducer<History<Part.State>, UndoableAction<Part.Action>>

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
        let part = part.prepared
        let action = CasePath<UndoableAction<Part.Action>, Part.Action>(
            embed: { .present($0) }, extract: { if case .present(let action) = $0 { $1(action) } })
        body = AnyReducer(
            decide: { action, state, abstentions in
                if case .present(let action) = action { return part.decide(action, in: state.present, &abstentions) }
                return state.canMove(by: action) ? .accept : .ignore
            },
            reduce: { action, state, abstentions in
                guard case .present(let action) = action else { return state.move(by: action) }
                // Decide again: the part may only follow an action of others, which makes no history here.
                if filter(action), case .accept = part.decide(action, in: state.present) {
                    state.remember(limit: limit)
                }
                part.reduce(&state.present, action, abstentions)
            }, middleware: part.middleware.map { $0.scoped(\History<Part.State>.present, action) },
            onlyFollows: part.onlyFollows)
    }
}

extension History {
    /// Whether an action of the history has something to do.
    @inlinable
    func canMove<Action>(by action: UndoableAction<Action>) -> Bool {
        switch action {
        case .undo: canUndo
        case .redo: canRedo
        case .clearHistory: canUndo || canRedo
        case .present: false
        }
    }

    /// Does an action of the history.
    @inlinable
    mutating func move<Action>(by action: UndoableAction<Action>) {
        switch action {
        case .undo:
            guard let before = past.popLast() else { return }
            future.append(present)
            present = before
        case .redo:
            guard let after = future.popLast() else { return }
            past.append(present)
            present = after
        case .clearHistory:
            past = []
            future = []
        case .present: break
        }
    }

    /// Appends the present to the past, before it changes.
    @inlinable
    mutating func remember(limit: Int) {
        future = []
        guard limit > 0 else { return }
        past.removeFirst(max(0, past.count - limit + 1))
        past.append(present)
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
