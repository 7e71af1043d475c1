import Locks
import Synchronization

/// Counts the bytes that connections hold of requests which have not arrived completely, of requests that wait behind another one,
/// and of large bodies that are being handled.
///
/// A connection counts only what stays after its bytes were looked at. A request that arrives at once, with a short body, never
/// changes the count.
package final class InputBudget: Sendable {
    /// A request up to this length is small: it finds room even if nothing can be freed for larger ones.
    package static let smallRequest = 1024

    /// How many bytes connections may hold.
    package let limit: Int
    /// Whether the process has memory for a request of so many bytes.
    let hasMemory: @Sendable (_ byteCount: Int) -> Bool
    private let held = Atomic(0)
    private let peak = Atomic(0)
    private let cut = Atomic(0)
    /// In a structure for the same reason as that of the output budget.
    private struct Reaction {
        let call: @Sendable () -> Void
    }

    // Guards the reaction, which is called outside the lock. Read only when the limit is exceeded.
    private let onExceeded = Locked<Reaction?>(nil)

    /// - Parameters:
    ///   - limit: how many bytes connections may hold.
    ///   - hasMemory: whether the process has memory for a request of so many bytes. Any thread calls it; it must be quick.
    package init(limit: Int, hasMemory: @escaping @Sendable (_ byteCount: Int) -> Bool = { _ in true }) {
        self.limit = limit
        self.hasMemory = hasMemory
    }

    /// Calls `body` on any thread, and often, while more than the limit is held. It must be quick.
    package func whenExceeded(_ body: @escaping @Sendable () -> Void) {
        onExceeded.withLock { $0 = Reaction(call: body) }
    }

    /// How many bytes connections hold.
    package var heldBytes: Int { held.load(ordering: .relaxed) }

    /// How many requests were cut to make room.
    package var cutRequests: Int { cut.load(ordering: .relaxed) }

    func countCut(_ count: Int) { cut.add(count, ordering: .relaxed) }

    /// The most bytes that were held since the last call.
    package func takePeak() -> Int {
        let now = heldBytes
        return max(peak.exchange(now, ordering: .relaxed), now)
    }

    /// Connections hold more bytes, or fewer.
    package func add(_ byteCount: Int) {
        let count = held.add(byteCount, ordering: .relaxed).newValue
        guard byteCount > 0 else { return }
        if count > peak.load(ordering: .relaxed) { peak.max(count, ordering: .relaxed) }
        if count > limit { onExceeded.withLock(\.self)?.call() }
    }
}
