import Synchronization

/// Counts the bytes that wait to be sent on all channels that share it, and those that are collected for them.
///
/// A channel counts only what the system did not accept at once, so a connection whose peer reads never changes the
/// count. An array counts as a whole until its last byte is sent, because it stays in memory. Arrays that several channels
/// share count once for each of them.
package final class OutputBudget: Sendable {
    private let pending: ByteBudget
    private let pendingOfStreams = Atomic(0)
    private let disconnected = Atomic(0)

    /// - Parameter limit: how many bytes may wait.
    package init(limit: Int) { pending = ByteBudget(limit: limit) }

    /// How many bytes may wait.
    package var limit: Int { pending.limit }

    /// Calls `body` on any thread, and often, while more than the limit waits or is refused. It must be quick.
    package func whenExceeded(_ body: @escaping @Sendable () -> Void) { pending.whenExceeded(body) }

    /// How many bytes wait.
    package var pendingBytes: Int { pending.count }

    /// The most bytes that waited since the last call.
    package func takePeak() -> Int { pending.takePeak() }

    /// How many of them wait on channels that count as streams.
    package var pendingStreamBytes: Int { pendingOfStreams.load(ordering: .relaxed) }

    /// How many clients were disconnected to make room.
    package var disconnectedClients: Int { disconnected.load(ordering: .relaxed) }

    package func countDisconnected(_ count: Int) { disconnected.add(count, ordering: .relaxed) }

    /// Whether so many bytes more may wait.
    package func admits(_ byteCount: Int) -> Bool {
        if pendingBytes + byteCount <= limit { return true }
        pending.reportExceeded()
        return false
    }

    /// More bytes wait, or fewer.
    package func add(_ byteCount: Int) { pending.add(byteCount) }

    func addToStreams(_ byteCount: Int) { pendingOfStreams.add(byteCount, ordering: .relaxed) }
}
