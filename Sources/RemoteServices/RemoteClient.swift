public import Stores

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

/// The reason why a remote call failed: a stable code for programs and a sentence for people.
public struct RemoteFailure: EffectFailure, Sendable, Hashable {
    /// The codes of all failures. They are part of the HTTP contract.
    public enum Code: String, Sendable, CaseIterable {
        /// No complete response within the deadline.
        case timeout
        /// No connection, or a connection that broke before the response was complete.
        case unreachable
        /// A response with an unexpected status.
        case badStatus = "bad-status"
        /// A response with an unreadable body.
        case badBody = "bad-body"
        /// A response larger than the limit.
        case tooLarge = "too-large"
        /// Not sent: the service has failed too often recently.
        case circuitOpen = "circuit-open"
        /// Not sent: too many calls are in progress.
        case overloaded
        /// The call was cancelled, or the process ended during the call.
        case interrupted
    }

    /// The code for programs.
    public let code: Code
    @usableFromInline package var effectCode: String { code.rawValue }
    /// The sentence for people. It may change.
    public let message: String

    /// A failure with this code.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
