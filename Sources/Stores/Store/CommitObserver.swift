import Locks

/// Observes one store from inside, before its subscribers do: the port through which a host records commits.
///
/// The store calls every method under its lock, so an implementation may keep mutable state without a lock of its own. It must
/// be quick and must not call the store.
@usableFromInline
package protocol CommitObserver<State, Action>: AnyObject {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// Called for each commit, before subscribers are notified and effects start.
    ///
    /// - Parameter moment: the store's time, in milliseconds since 1970.
    func committed(_ commit: borrowing Commit<State, Action>, at moment: Int)

    /// Called once after each dispatch, also one that committed nothing, when its result is known and before the next queued
    /// action is reduced.
    func dispatchEnded(_ contents: StoreCore<State, Action>.ContentsPointer)

    /// Whether the commits up to `revision` survive whatever the host protects them from.
    func isDurable(through revision: Int) -> Bool

    /// Calls `done` once, with whether the commits up to `revision` became durable: before this returns or on any thread.
    func whenDurable(through revision: Int, _ done: @escaping @Sendable (_ isDurable: Bool) -> Void)
}

/// Holds one effect back until it is known whether its commit became durable.
final class DurabilityGate: Sendable {
    private struct Contents {
        var isDurable: Bool?
        var waiter: CheckedContinuation<Bool, Never>?
    }

    // Guards the result and the waiter. Taken last: nothing is called while it is held.
    private let contents = Locked(Contents())

    func open(isDurable: Bool) {
        let waiter = contents.withLock { contents in
            contents.isDurable = isDurable
            defer { contents.waiter = nil }
            return contents.waiter
        }
        waiter?.resume(returning: isDurable)
    }

    /// Waits for ``open(isDurable:)``; one task may wait.
    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            let isDurable: Bool? = contents.withLock { contents in
                if contents.isDurable == nil { contents.waiter = continuation }
                return contents.isDurable
            }
            if let isDurable { continuation.resume(returning: isDurable) }
        }
    }
}
