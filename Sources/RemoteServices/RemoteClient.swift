/// A client of one remote service: the port through which middleware reaches the network.
///
/// An implementation knows the address, the credentials, the deadline and the retries. A test passes a scripted one. Cancelling
/// the calling task ends the call at once. A server that shuts down waits for the effects whose client has reported
/// `EffectContext.Report.calling`.
public protocol RemoteClient: Sendable {
    /// Sends `request` and returns the response, whatever its status.
    ///
    /// - Throws: `RemoteFailure` if no complete response arrived within the deadline.
    func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse

    /// Called when the caller could not use a response, so that the client can count it. By default it does nothing.
    ///
    /// - Parameter failure: the reason.
    func reportUnusableResponse(_ failure: RemoteFailure)
}

extension RemoteClient {
    public func reportUnusableResponse(_ failure: RemoteFailure) {}

    /// Sends `request` and reads a value from the response.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - read: reads the value. It must check the status first, as ``RemoteResponse/json()`` and
    ///     ``RemoteResponse/text(at:)`` do.
    /// - Throws: the error of the call or of `read`.
    @inlinable
    public func call<Value>(
        _ request: RemoteRequest, reading read: (RemoteResponse) throws(RemoteFailure) -> Value
    ) async throws(RemoteFailure) -> Value {
        let response = try await call(request)
        do throws(RemoteFailure) {
            return try read(response)
        } catch {
            reportUnusableResponse(error)
            throw error
        }
    }
}
