import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

/// Knows which thread a loop runs on at this moment, if any.
package final class LoopAnchor: Sendable {
    private let thread = Atomic<UInt>(0)

    package init() {}

    /// Whether the caller runs on the loop.
    package var isCurrent: Bool {
        thread.load(ordering: .relaxed) == Self.currentThread
    }

    /// The loop runs on this thread from here on. Ordered after the `leave` before it.
    func enter() {
        _ = thread.exchange(Self.currentThread, ordering: .acquiring)
    }

    func leave() {
        thread.store(0, ordering: .releasing)
    }

    private static var currentThread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}
