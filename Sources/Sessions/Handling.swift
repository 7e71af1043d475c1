import Locks

/// How a request is handled.
package enum Handling<Result: Sendable>: Sendable {
    /// It is done. This costs no task and no closure, and is usual.
    case now(Result)
    /// It is done, and leaves once the hold is over. This costs an object, and no task.
    case held(Result, any Hold)
    /// The rest has to wait for something. It is called once.
    case later(@Sendable () async throws(SessionFailure) -> Result)

    package func value() async throws(SessionFailure) -> Result {
        switch self {
        case .now(let result): return result
        case .held(let result, let hold):
            try await hold.over()
            return result
        case .later(let run): return try await run()
        }
    }
}

/// The reason why a result may not leave yet.
package protocol Hold: AnyObject, Sendable {
    /// Notifies `waiter` once the result may leave, or never may.
    func whenOver(notify waiter: any HoldWaiter)
}

extension Hold {
    /// Waits until the result may leave.
    package func over() async throws(SessionFailure) {
        let wait = HoldWait()
        whenOver(notify: wait)
        if let failure = await wait.failure.value() { throw failure }
    }
}

package protocol HoldWaiter: AnyObject, Sendable {
    /// Called once, on any thread.
    ///
    /// - Parameter failure: the reason if the result never may leave.
    func holdEnded(with failure: SessionFailure?)
}

/// The wait of a task.
private final class HoldWait: HoldWaiter {
    let failure = Promise<SessionFailure?>()

    func holdEnded(with failure: SessionFailure?) { self.failure.fulfill(failure) }
}
