public import Locks

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

    /// Names the store among all of the host, now and after a restart; nil if the host has given it no name.
    var identity: String? { get }

    /// Called before an action is reduced, with the store's lock held.
    ///
    /// - Parameter isNamed: whether the action came from a client, whose request has set its name already.
    func willReduce(_ action: Action, isNamed: Bool)

    /// Called in front of ``committed(_:at:)`` for an action whose sender gave it a tag.
    func willCommit(for tag: any AnyObject & Sendable)

    /// Whether the host can take a state that would be committed next. Called only if `Contents.asksBeforeCommit` or
    /// `Envelope.Details.asksBeforeCommit` is set.
    ///
    /// The store may still reject the actions for another reason.
    ///
    /// - Parameter origin: of the actions that lead to the state.
    func admits(_ state: State, from origin: Origin, _ contents: StoreCore<State, Action>.ContentsPointer) -> Bool

    /// Whether ``objection(to:)`` is asked of each state. It never changes.
    var judgesStates: Bool { get }

    /// Why the host cannot take a state that an action makes; nil if it can. Called before the commit for each action of a dispatch, if
    /// ``judgesStates`` is set.
    ///
    /// The store may still reject the actions for another reason.
    func objection(to state: State) -> Rejection?

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

    /// Fulfills a promise with whether the commits up to `revision` became durable: before this returns or on any thread.
    func whenDurable(through revision: Int, fulfill isDurable: Promise<Bool>)
}
