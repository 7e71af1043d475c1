import Locks

/// Collects a response for a task that waits for all of it.
final class WholeResponse: ResponseReceiver {
    private let maxBytes: Int
    private let response = Locked(ClientResponse(status: 0))
    private let outcome = Promise<Result<ClientResponse, TransportFailure>>()

    /// - Parameter maxBytes: the longest body.
    init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    /// Waits for the end. Cancelling the task does not end the wait.
    func result() async -> Result<ClientResponse, TransportFailure> {
        await outcome.value()
    }

    func receive(status: Int, headers: [String: String]) {
        response.withLock { response in
            response.status = status
            response.headers = headers
        }
    }

    func receive(_ bytes: [UInt8]) -> Reception {
        response.withLock { response in
            guard bytes.count <= maxBytes - response.body.count else {
                return .refused(TransportFailure("the response has more than \(maxBytes) bytes"))
            }
            response.body += bytes
            return .taken
        }
    }

    func flush() {}

    func end(_ failure: TransportFailure?) {
        if let failure { return outcome.fulfill(.failure(failure)) }
        outcome.fulfill(.success(response.withLock { $0 }))
    }
}
