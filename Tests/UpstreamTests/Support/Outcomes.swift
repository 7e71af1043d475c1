import Locks
import Upstream

/// Collects what calls at the same time end with.
final class Outcomes: Sendable {
    private typealias Waiter = (count: Int, end: Promise<Void>)

    /// Guards what came and who waits. A leaf.
    private let state = Locked((outcomes: [String: String](), waiters: [Waiter]()))

    var all: [String: String] { state.withLock { $0.outcomes } }

    /// Calls in a task of its own, and notes the outcome under a name.
    @discardableResult
    func call(_ client: CurlClient, _ name: String) -> Task<Void, Never> {
        Task { add(await client.outcome(), name) }
    }

    private func add(_ outcome: String, _ name: String) {
        let ready = state.withLock { state in
            state.outcomes[name] = outcome
            let count = state.outcomes.count
            let ready = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return ready
        }
        for waiter in ready { waiter.end.fulfill(()) }
    }

    /// Returns once so many have come, or the task is cancelled, as its time limit does it.
    func wait(for count: Int) async {
        let end = Promise<Void>()
        let isMet = state.withLock { state in
            if state.outcomes.count >= count { return true }
            state.waiters.append((count, end))
            return false
        }
        if isMet { return }
        await withTaskCancellationHandler {
            await end.value()
        } onCancel: {
            end.fulfill(())
        }
    }
}
