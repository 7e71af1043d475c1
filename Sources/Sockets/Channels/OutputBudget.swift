import Synchronization

/// Counts the bytes that wait to be sent on all channels that share it.
///
/// A channel counts only what the system did not accept at once, so a connection whose peer reads never changes the
/// count. Bytes that several channels share count once for each of them.
package final class OutputBudget: Sendable {
    /// How many bytes may wait.
    package let limit: Int
    private let pending = Atomic(0)
    /// Called on any thread, at least once whenever bytes exceed the limit.
    private let onPressure: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: how many bytes may wait.
    ///   - onPressure: called on any thread, and often, while more than the limit waits or is refused. It must be quick.
    package init(limit: Int, onPressure: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        self.onPressure = onPressure
    }

    /// How many bytes wait.
    package var pendingBytes: Int { pending.load(ordering: .relaxed) }

    /// Whether so many bytes more may wait.
    package func admits(_ byteCount: Int) -> Bool {
        if pendingBytes + byteCount <= limit { return true }
        onPressure()
        return false
    }

    func add(_ byteCount: Int) {
        let count = pending.add(byteCount, ordering: .relaxed).newValue
        if byteCount > 0, count > limit { onPressure() }
    }
}
