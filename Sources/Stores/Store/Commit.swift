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
    /// Whether this is the last commit of its batch; always so for a single action.
    public let endsBatch: Bool

    // Both places outlive the commit: they do not change during the calls that receive it.
    @usableFromInline package let actionPlace: UnsafePointer<Action>
    @usableFromInline package let statePlace: UnsafePointer<State>
    @usableFromInline package let previousPlace: UnsafePointer<State>?

    @inlinable
    package init(
        revision: Int, origin: Origin, cause: Int?, endsBatch: Bool, action: UnsafePointer<Action>,
        state: UnsafePointer<State>, previous: UnsafePointer<State>?
    ) {
        self.revision = revision
        self.origin = origin
        self.cause = cause
        self.endsBatch = endsBatch
        actionPlace = action
        statePlace = state
        previousPlace = previous
    }

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
        let (revision, origin, cause, endsBatch) = (revision, origin, cause, endsBatch)
        return withUnsafePointer(to: part) { part in
            withUnsafePointer(to: action) { action in
                withOptionalPointer(to: previous) { previous in
                    body(
                        Commit<Part, PartAction>(
                            revision: revision, origin: origin, cause: cause, endsBatch: endsBatch, action: action,
                            state: part, previous: previous))
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

/// The sender of an action.
public enum Origin: String, Sendable, CaseIterable {
    /// A user of the store.
    case client
    /// A middleware, in its answer to a commit.
    case middleware
    /// An effect, while it runs or when it ends; or a timer.
    case effect
    /// The host of the store.
    case system
}

/// Observes one store from inside, before its subscribers do: the port through which a host records commits.
///
/// The store calls every method under its lock, so an implementation may keep mutable state without a lock of its own. It must
/// be quick and must not call the store.
@usableFromInline
package protocol CommitObserver<State, Action>: AnyObject {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// Names the store in the log of the host.
    var label: String { get }

    /// Called before an action is reduced, with the store's lock held.
    ///
    /// - Parameter isNamed: whether the action came from a client, whose request has set its name already.
    func willReduce(_ action: Action, isNamed: Bool)

    /// Whether the host can take a state that would be committed next. Called only if `Contents.asksBeforeCommit` or
    /// `Envelope.Details.asksBeforeCommit` is set.
    ///
    /// The store may still reject the actions for another reason.
    ///
    /// - Parameter origin: of the actions that lead to the state.
    func admits(_ state: State, from origin: Origin, _ contents: StoreCore<State, Action>.ContentsPointer) -> Bool

    /// The fault to report of an action that is lost at a bound, and whose receipt nobody gets.
    ///
    /// - Parameter moment: the store's time, in milliseconds since 1970.
    /// - Returns: nil if the store has reported such a fault a short time before.
    func faultOfLosing(_ action: Action, from origin: Origin, at bound: ActionLoss, at moment: Int) -> StoreFault?

    /// Called for each commit, before subscribers are notified and effects start.
    ///
    /// - Parameter moment: the store's time, in milliseconds since 1970.
    func committed(_ commit: borrowing Commit<State, Action>, at moment: Int)

    /// Called once after each dispatch, also one that committed nothing or was a dry run, when its result is known and before the next queued
    /// action is reduced.
    ///
    /// - Parameters:
    ///   - state: the state in place.
    ///   - revision: of that state.
    ///   - nextDeadline: when the next timer is due, in milliseconds since 1970; nil without a timer.
    ///   - asksBeforeCommit: whether the observer must admit a state before it is committed.
    func dispatchEnded(
        in state: UnsafePointer<State>, at revision: Int, nextDeadline: Int?, asksBeforeCommit: inout Bool)

    /// Whether the commits up to `revision` survive whatever the host protects them from.
    func isDurable(through revision: Int) -> Bool

    /// Calls `done` once, with whether the commits up to `revision` became durable: before this returns or on any thread.
    func whenDurable(through revision: Int, _ done: @escaping @Sendable (_ isDurable: Bool) -> Void)
}
