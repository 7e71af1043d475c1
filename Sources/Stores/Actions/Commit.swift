/// One committed action. It is valid only during the call that receives it.
///
/// The state is read in place. A value that is taken out of it is a copy. While a copy is stored elsewhere, the next change
/// copies the collections that it touches.
public struct Commit<State: Sendable, Action: Sendable>: ~Copyable {
    /// The revision that this commit made.
    public let revision: Int
    /// The sender of the action.
    public let origin: Origin
    /// The revision whose action caused this one; nil if no action did, as with an action of a client.
    public let cause: Int?
    /// The actor that the host named; nil if it named none.
    @usableFromInline package let namedActor: Actor?
    /// Whether this is the last commit of its batch; always so for a single action.
    @usableFromInline package let endsBatch: Bool

    // Both places outlive the commit: they do not change during the calls that receive it.
    @usableFromInline package let actionPlace: UnsafePointer<Action>
    @usableFromInline package let statePlace: UnsafePointer<State>
    @usableFromInline package let previousPlace: UnsafePointer<State>?

    @inlinable
    package init(
        revision: Int, origin: Origin, actor: Actor? = nil, cause: Int?, endsBatch: Bool,
        action: UnsafePointer<Action>, state: UnsafePointer<State>, previous: UnsafePointer<State>?
    ) {
        self.revision = revision
        self.origin = origin
        namedActor = actor
        self.cause = cause
        self.endsBatch = endsBatch
        actionPlace = action
        statePlace = state
        previousPlace = previous
    }

    /// The actor who has sent the action: ``Actor/system`` unless ``origin`` is ``Origin/client``, and ``Actor/anonymous`` for a
    /// client whom the host of the store does not know.
    public var actor: Actor { Actor(of: origin, named: namedActor) }

    /// The committed action.
    public var action: Action {
        @inlinable
        _read { yield actionPlace.pointee }
    }

    /// The state after the action.
    public var state: State {
        @inlinable
        _read { yield statePlace.pointee }
    }

    /// The state before the action; nil if no middleware of the store asks for it by ``Middleware/readsPreviousState``, and for
    /// a part that was not there.
    @inlinable public var previousState: State? { previousPlace?.pointee }

    /// Whether the action is this case.
    @inlinable
    package func isAction<Part>(_ path: CasePath<Action, Part>) -> Bool {
        actionPlace.withMemoryRebound(to: BorrowedValue<Action>.self, capacity: 1) { $0.pointee.isCase(of: path) }
    }

    /// Calls `body` with this commit, as the store of a part would make it.
    @inlinable
    package func narrowed<Part, PartAction, Result>(
        to part: Part, _ action: PartAction, previous: Part?, _ body: (borrowing Commit<Part, PartAction>) -> Result
    ) -> Result {
        let (revision, origin, actor, cause, endsBatch) = (revision, origin, namedActor, cause, endsBatch)
        return withUnsafePointer(to: part) { part in
            withUnsafePointer(to: action) { action in
                withOptionalPointer(to: previous) { previous in
                    body(
                        Commit<Part, PartAction>(
                            revision: revision, origin: origin, actor: actor, cause: cause, endsBatch: endsBatch,
                            action: action, state: part, previous: previous))
                }
            }
        }
    }
}

/// A value that is read where it is. Reading a copyable value through a pointer copies it.
@usableFromInline
struct BorrowedValue<Value>: ~Copyable {
    @usableFromInline let value: Value

    @inlinable
    borrowing func isCase<Part>(of path: CasePath<Value, Part>) -> Bool { path.matches(value) }
}
