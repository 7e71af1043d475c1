/// One committed action, as a subscriber and a middleware see it: lent for the length of the call, not to be kept.
///
/// The state is read in place. What is taken out of it is a copy, and one that is kept makes the next change copy too.
public struct Commit<State: Sendable, Action: Sendable>: ~Copyable {
    /// The revision that this commit made.
    public let revision: Int
    /// Who sent the action.
    public let origin: Origin
    /// The revision whose action caused this one; nil for a client's.
    public let cause: Int?
    /// Whether this is the last commit of its batch; always so for a single action.
    public let endsBatch: Bool

    // Both outlive the commit: it is lent only while they stand still.
    @usableFromInline package let actionPlace: UnsafePointer<Action>
    @usableFromInline package let statePlace: UnsafePointer<State>

    @inlinable
    package init(
        revision: Int, origin: Origin, cause: Int?, endsBatch: Bool, action: UnsafePointer<Action>,
        state: UnsafePointer<State>
    ) {
        self.revision = revision
        self.origin = origin
        self.cause = cause
        self.endsBatch = endsBatch
        actionPlace = action
        statePlace = state
    }

    /// What was committed.
    public var action: Action {
        @inlinable
        _read { yield actionPlace.pointee }
    }

    /// The state after the action.
    public var state: State {
        @inlinable
        _read { yield statePlace.pointee }
    }

    /// The same commit as a part of the store sees it.
    @inlinable
    package func narrowed<Part, PartAction, Result>(
        to part: Part, _ action: PartAction, _ body: (borrowing Commit<Part, PartAction>) -> Result
    ) -> Result {
        withUnsafePointer(to: part) { part in
            withUnsafePointer(to: action) { action in
                body(
                    Commit<Part, PartAction>(
                        revision: revision, origin: origin, cause: cause, endsBatch: endsBatch, action: action,
                        state: part))
            }
        }
    }
}

/// Who sent an action.
public enum Origin: String, Sendable, CaseIterable {
    /// A user of the store.
    case client
    /// A middleware, at once upon a commit.
    case middleware
    /// An effect, while it ran or at its end, or a timer.
    case effect
    /// The store's host.
    case system
}
