import Locks

/// Counts the effects that follow from one action: its own effects, the effects of the actions that these emit, and so
/// on.
@usableFromInline
package final class EffectGroup: Sendable {
    private struct Contents {
        var running = 0
        /// Whether actions that its commits dispatch are dropped.
        var isStopped = false
        /// Whether its actions are dropped, because the dispatch that began it was cancelled.
        var isCancelled = false
        var waiting: [@Sendable () -> Void] = []
        var requestID: String?
    }

    /// The trace of the client's request that caused the group.
    @usableFromInline package let trace: TraceContext?
    // Guards the count and the waiters. The last lock in the order: nothing is called while it is held.
    private let contents = Locked(Contents())

    @usableFromInline
    package init(_ trace: TraceContext? = nil) { self.trace = trace }

    /// The id of the client's request that caused the group; nil if none did. The host sets it, before any effect can end.
    package var requestID: String? {
        get { contents.withLock { $0.requestID } }
        set { contents.withLock { if $0.requestID == nil { $0.requestID = newValue } } }
    }

    package var isSettled: Bool { contents.withLock { $0.running == 0 } }

    @usableFromInline package var isCancelled: Bool { contents.withLock { $0.isCancelled } }

    func cancel() { contents.withLock { $0.isCancelled = true } }

    /// The decision on the actions that a commit of this group has just dispatched: a cascade at its limit is stopped,
    /// and is reported once.
    enum Cascade { case continues, stopsNow, alreadyStopped }

    /// - Parameter depth: how many actions of middlewares led to the commit; 0 starts a new count.
    func cascade(_ depth: Int, limit: Int) -> Cascade {
        contents.withLock { contents in
            if depth == 0 { contents.isStopped = false }
            if contents.isStopped { return .alreadyStopped }
            contents.isStopped = depth >= limit || contents.running > limit
            return contents.isStopped ? .stopsNow : .continues
        }
    }

    @usableFromInline
    package func enter() { contents.withLock { $0.running += 1 } }

    @usableFromInline
    package func leave() {
        let settled: [@Sendable () -> Void] = contents.withLock { contents in
            contents.running -= 1
            guard contents.running == 0 else { return [] }
            defer { contents.waiting = [] }
            return contents.waiting
        }
        for action in settled { action() }
    }

    /// Waits until the count is 0.
    @usableFromInline
    package func settled() async {
        await withCheckedContinuation { continuation in
            whenSettled { continuation.resume() }
        }
    }

    /// Calls `action` when the count is 0, or immediately if it is.
    @usableFromInline
    package func whenSettled(_ action: @escaping @Sendable () -> Void) {
        let isSettled = contents.withLock { contents in
            if contents.running == 0 { return true }
            contents.waiting.append(action)
            return false
        }
        if isSettled { action() }
    }
}
