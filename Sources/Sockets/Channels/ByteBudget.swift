import Locks
import Synchronization

/// Counts bytes that many connections hold on all event loops, and tells when they are more than a limit.
package struct ByteBudget: ~Copyable, Sendable {
    /// How many bytes there may be.
    package let limit: Int
    private let held = Atomic(0)
    private let peak = Atomic(0)
    /// A function that stands in a `Locked` by itself gets one more wrapper at each access, so each call would take longer than
    /// the one before. In a structure it keeps its form.
    private struct Reaction {
        let call: @Sendable () -> Void
    }

    // Guards the reaction, which is called outside the lock. Read only when the limit is exceeded.
    private let onExceeded = Locked<Reaction?>(nil)

    package init(limit: Int) { self.limit = limit }

    /// Calls `body` on any thread, and often, while there are more bytes than the limit. It must be quick.
    package func whenExceeded(_ body: @escaping @Sendable () -> Void) {
        onExceeded.withLock { $0 = Reaction(call: body) }
    }

    package func reportExceeded() { onExceeded.withLock(\.self)?.call() }

    /// How many bytes there are.
    package var count: Int { held.load(ordering: .relaxed) }

    /// The most bytes that there were since the last call.
    package func takePeak() -> Int {
        let now = count
        return max(peak.exchange(now, ordering: .relaxed), now)
    }

    /// There are more bytes, or fewer.
    package func add(_ byteCount: Int) {
        let count = held.add(byteCount, ordering: .relaxed).newValue
        guard byteCount > 0 else { return }
        if count > peak.load(ordering: .relaxed) { peak.max(count, ordering: .relaxed) }
        if count > limit { reportExceeded() }
    }
}
