import Locks

/// Counts what an action set going: its effects, those of the actions they emitted, and so on.
@usableFromInline
package final class EffectGroup: Sendable {
    private struct Contents {
        var running = 0
        /// Whether what its commits dispatch is dropped.
        var isStopped = false
        var waiting: [@Sendable () -> Void] = []
    }

    /// What it belongs to in somebody's tracing.
    let trace: TraceContext?
    // Guards the count and the waiters. Taken last: nothing is called while it is held.
    private let contents = Locked(Contents())

    init(_ trace: TraceContext? = nil) { self.trace = trace }

    package var isSettled: Bool { contents.withLock { $0.running == 0 } }

    /// What becomes of the actions that a commit of this chain has just dispatched.
    enum Cascade { case goesOn, stops, hasStopped }

    /// - Parameter depth: how many middlewares' actions led to the commit; 0 begins anew.
    func cascade(_ depth: Int, limit: Int) -> Cascade {
        contents.withLock { contents in
            if depth == 0 { contents.isStopped = false }
            if contents.isStopped { return .hasStopped }
            contents.isStopped = depth >= limit || contents.running > limit
            return contents.isStopped ? .stops : .goesOn
        }
    }

    func enter() { contents.withLock { $0.running += 1 } }

    func leave() {
        let settled: [@Sendable () -> Void] = contents.withLock { contents in
            contents.running -= 1
            guard contents.running == 0 else { return [] }
            defer { contents.waiting = [] }
            return contents.waiting
        }
        for tell in settled { tell() }
    }

    /// Waits until nothing of the chain runs any more.
    func settled() async {
        await withCheckedContinuation { continuation in
            whenSettled { continuation.resume() }
        }
    }

    /// Calls `tell` once nothing of the chain runs any more; at once where that is so already.
    package func whenSettled(_ tell: @escaping @Sendable () -> Void) {
        let isSettled = contents.withLock { contents in
            if contents.running == 0 { return true }
            contents.waiting.append(tell)
            return false
        }
        if isSettled { tell() }
    }
}
