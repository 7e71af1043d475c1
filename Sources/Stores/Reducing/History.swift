/// A state with those that came before it and those that were undone: the state of an ``Undoable``.
public struct History<Present: Sendable>: Sendable {
    /// The states before this one, the oldest first.
    public var past: [Present] = []
    /// The state now.
    public var present: Present
    /// The states that were undone, the one that redo leads to last.
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
