import Locks
import RemoteServices
import Stores

/// Collects what calls with callbacks end with.
final class Outcomes: Sendable {
    private typealias Waiter = (count: Int, end: Promise<Void>)

    /// Guards what came and who waits. A leaf.
    private let state = Locked((outcomes: [String: String](), waiters: [Waiter]()))

    var all: [String: String] { state.withLock { $0.outcomes } }

    /// A completion that notes its outcome under a name.
    func add(_ name: String) -> @Sendable (Result<RemoteResponse, RemoteFailure>) -> Void {
        { result in
            let ready = self.state.withLock { state in
                state.outcomes[name] =
                    switch result {
                    case .success(let answer): "\(answer.status)"
                    case .failure(let failure): failure.code.rawValue
                    }
                let count = state.outcomes.count
                let ready = state.waiters.filter { $0.count <= count }
                state.waiters.removeAll { $0.count <= count }
                return ready
            }
            for waiter in ready {
                waiter.end.fulfill(())
            }
        }
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
