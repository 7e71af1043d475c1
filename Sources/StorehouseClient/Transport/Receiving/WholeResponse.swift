import Locks

/// Collects a response for a task that waits for all of it.
final class WholeResponse: ResponseReceiver {
    /// The failure of a request whose task is cancelled.
    static let cancelled = TransportFailure("the request was cancelled")

    private struct State {
        var response = ClientResponse(status: 0)
        var result: Result<ClientResponse, TransportFailure>?
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let maxBytes: Int
    private let state = Locked(State())

    /// - Parameter maxBytes: the longest body.
    init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    /// Waits for the end, once, on the caller's actor, because each change of the thread costs more than the rest.
    ///
    /// - Parameter cancel: ends the request, after the response, when the task is cancelled.
    func result(
        isolation: isolated (any _Concurrency.Actor)? = #isolation, onCancel cancel: @Sendable () -> Void
    ) async -> Result<ClientResponse, TransportFailure> {
        await withTaskCancellationHandler {
            // A closure has the isolation that it captures, and none else.
            _ = isolation
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.result == nil { state.waiting = continuation }
                    return state.result != nil
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            end(Self.cancelled)
            cancel()
        }
        return state.withLock { state in
            guard let result = state.result else { preconditionFailure("a task waits until there is a result") }
            return result
        }
    }

    func receive(status: Int, headers: [String: String]) {
        state.withLock { state in
            state.response.status = status
            state.response.headers = headers
        }
    }

    func receive(_ bytes: [UInt8]) -> Reception {
        state.withLock { state in
            guard bytes.count <= maxBytes - state.response.body.count else {
                return .refused(TransportFailure("the response has more than \(maxBytes) bytes"))
            }
            state.response.body += bytes
            return .taken
        }
    }

    func flush() {}

    func end(_ failure: TransportFailure?) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.result == nil else { return nil }
            state.result = failure.map { .failure($0) } ?? .success(state.response)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}
