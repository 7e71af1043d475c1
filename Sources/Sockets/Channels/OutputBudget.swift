import Locks
import Synchronization

/// Counts the bytes that wait to be sent on all channels that share it, and those that are collected for them.
///
/// A channel counts only what the system did not accept at once, so a connection whose peer reads never changes the
/// count. An array counts as a whole until its last byte is sent, because it stays in memory. Arrays that several channels
/// share count once for each of them.
package final class OutputBudget: Sendable {
    /// How many bytes may wait.
    package let limit: Int
    private let pending = Atomic(0)
    private let pendingOfStreams = Atomic(0)
    private let peak = Atomic(0)
    private let disconnected = Atomic(0)
    /// A function that stands in a `Locked` by itself gets one more wrapper at each access, so each call would take longer than
    /// the one before. In a structure it keeps its form.
    private struct Reaction {
        let call: @Sendable () -> Void
    }

    // Guards the reaction, which is called outside the lock. Read only when the limit is exceeded.
    private let onExceeded = Locked<Reaction?>(nil)

    /// - Parameter limit: how many bytes may wait.
    package init(limit: Int) { self.limit = limit }

    /// Calls `body` on any thread, and often, while more than the limit waits or is refused. It must be quick.
    package func whenExceeded(_ body: @escaping @Sendable () -> Void) {
        onExceeded.withLock { $0 = Reaction(call: body) }
    }

    /// How many bytes wait.
    package var pendingBytes: Int { pending.load(ordering: .relaxed) }

    /// The most bytes that waited since the last call.
    package func takePeak() -> Int {
        let now = pendingBytes
        return max(peak.exchange(now, ordering: .relaxed), now)
    }

    /// How many of them wait on channels that count as streams.
    package var pendingStreamBytes: Int { pendingOfStreams.load(ordering: .relaxed) }

    /// How many clients were disconnected to make room.
    package var disconnectedClients: Int { disconnected.load(ordering: .relaxed) }

    package func countDisconnected(_ count: Int) { disconnected.add(count, ordering: .relaxed) }

    /// Whether so many bytes more may wait.
    package func admits(_ byteCount: Int) -> Bool {
        if pendingBytes + byteCount <= limit { return true }
        reportExceeded()
        return false
    }

    /// More bytes wait, or fewer.
    package func add(_ byteCount: Int) {
        let count = pending.add(byteCount, ordering: .relaxed).newValue
        guard byteCount > 0 else { return }
        if count > peak.load(ordering: .relaxed) { peak.max(count, ordering: .relaxed) }
        if count > limit { reportExceeded() }
    }

    func addToStreams(_ byteCount: Int) { pendingOfStreams.add(byteCount, ordering: .relaxed) }

    private func reportExceeded() { onExceeded.withLock(\.self)?.call() }
}
