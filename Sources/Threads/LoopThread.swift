public import Platform
public import Synchronization

/// The thread on which a loop is running, if any.
@usableFromInline
package final class LoopThread: Sendable {
    @usableFromInline let thread = Atomic<UInt>(0)

    package init() {}

    /// Whether the caller runs on the loop.
    @inlinable
    package var isCurrent: Bool {
        thread.load(ordering: .relaxed) == Self.currentThread
    }

    /// Marks the current thread as the loop's. Synchronizes with the previous `leave`.
    package func enter() {
        _ = thread.exchange(Self.currentThread, ordering: .acquiring)
    }

    package func leave() {
        thread.store(0, ordering: .releasing)
    }

    @inlinable
    static var currentThread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}
