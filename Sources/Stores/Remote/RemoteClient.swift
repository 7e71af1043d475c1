/// Calls one remote service: the port through which middleware reaches the network.
///
/// An adapter knows the address, the credentials, the deadline and the retries; a test passes an answer of its own.
/// Cancelling the calling task ends the call at once.
public protocol RemoteClient: Sendable {
    /// Sends `request` and returns the answer, whatever its status.
    ///
    /// - Throws: `RemoteFailure` where no whole answer came within the deadline.
    func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteAnswer

    /// Is told that an answer was of no use to who had asked, so that it can be counted. Nothing unless it is written
    /// otherwise.
    ///
    /// - Parameter failure: what was wrong with it.
    func note(_ failure: RemoteFailure)
}

extension RemoteClient {
    public func note(_ failure: RemoteFailure) {}

    /// Sends `request`, and takes out of the answer what it was sent for.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - read: judges the answer, its status first: ``RemoteAnswer/json()`` and ``RemoteAnswer/text(at:)-(JSONPointer)`` do.
    /// - Throws: what the call or `read` throws.
    public func call<Value>(
        _ request: RemoteRequest, reading read: (RemoteAnswer) throws(RemoteFailure) -> Value
    ) async throws(RemoteFailure) -> Value {
        let answer = try await call(request)
        do throws(RemoteFailure) {
            return try read(answer)
        } catch {
            note(error)
            throw error
        }
    }
}
