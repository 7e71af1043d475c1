public import Locks

/// The contents of a store behind its lock. A reducer that calls its own store stops the process.
///
/// While a reducer runs, the state is half changed, and a part of it may be moved out of its place. Another thread waits for
/// the lock. The thread of the reducer does not, because the lock is reentrant: it finds `isReducing` set, and this is the
/// only way to find it set.
@usableFromInline
package struct StoreLock<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline package typealias Contents = StoreCore<State, Action>.Contents
    @usableFromInline package typealias ContentsPointer = UnsafeMutablePointer<Contents>

    @usableFromInline let lock: ReentrantLock<Contents>

    @inlinable
    package init(_ contents: sending Contents) { lock = ReentrantLock(contents) }

    /// Runs `body` with the contents under the lock.
    ///
    /// - Parameter call: the method that was called from outside; a trap names it.
    @inlinable
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ call: StaticString = #function, _ body: (ContentsPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { contents throws(Failure) in
            if contents.pointee.isReducing { Self.stop(call) }
            return try body(contents)
        }
    }

    /// Runs a reducer. The lock must be held.
    @inlinable
    @inline(__always)
    package func reducing<Result>(_ contents: ContentsPointer, _ reduce: () -> Result) -> Result {
        contents.pointee.isReducing = true
        let result = reduce()
        contents.pointee.isReducing = false
        return result
    }

    /// Stops the process if the calling thread is inside a reducer of this store. Never waits for another thread.
    package func requireNotReducing(_ call: StaticString) {
        lock.withLockIfAvailable { if $0.pointee.isReducing { Self.stop(call) } }
    }

    // `fatalError`, because `preconditionFailure` prints no message in a release build.
    @usableFromInline
    @inline(never)
    package static func stop(_ call: StaticString) -> Never {
        fatalError(
            "A reducer called \(call) of its own store. A reducer must not read, observe, subscribe to, dispatch to or end "
                + "the store that runs it: pass what it needs in the action, and dispatch from a middleware or an effect."
        )
    }
    @usableFromInline
    @inline(never)
    package static func stopWithoutReducer() -> Never {
        fatalError(
            "OnAction is the only reducer of a store. It only follows actions that another reducer accepts, so the store would "
                + "ignore every action: use Reduce in its place, or put a reducer that accepts the actions beside it.")
    }
}
