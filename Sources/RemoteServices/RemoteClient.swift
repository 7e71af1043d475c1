public import Stores

/// Calls one remote service: the port through which middleware reaches the network.
///
/// An adapter knows the address, the credentials, the deadline and the retries; a test passes an answer of its own.
/// Cancelling the calling task ends the call at once.
public protocol RemoteClient: Sendable {
    /// Sends `request` and returns the answer, whatever its status.
    ///
    /// - Throws: `RemoteFailure` where no whole answer came within the deadline.
    func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse

    /// Is told that an answer was of no use to who had asked, so that it can be counted. Nothing unless it is written
    /// otherwise.
    ///
    /// - Parameter failure: what was wrong with it.
    func reportUnusableResponse(_ failure: RemoteFailure)
}

extension RemoteClient {
    public func reportUnusableResponse(_ failure: RemoteFailure) {}

    /// Sends `request`, and takes out of the answer what it was sent for.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - read: judges the answer, its status first: ``RemoteResponse/json()`` and ``RemoteResponse/text(at:)-(JSONPointer)`` do.
    /// - Throws: what the call or `read` throws.
    public func call<Value>(
        _ request: RemoteRequest, reading read: (RemoteResponse) throws(RemoteFailure) -> Value
    ) async throws(RemoteFailure) -> Value {
        let answer = try await call(request)
        do throws(RemoteFailure) {
            return try read(answer)
        } catch {
            reportUnusableResponse(error)
            throw error
        }
    }
}

/// Why a remote call brought nothing: a stable code for programs and a sentence for people.
public struct RemoteFailure: EffectFailure, Sendable, Hashable {
    /// The words that every remote call's failure is told with; they are part of the HTTP contract.
    public enum Code: String, Sendable, CaseIterable {
        /// No whole answer within the deadline.
        case timeout
        /// No connection, or one that broke before the answer was whole.
        case unreachable
        /// An answer whose status is none that the caller expects.
        case badStatus = "bad-status"
        /// An answer that cannot be read as what it should be.
        case badBody = "bad-body"
        /// An answer larger than the limit.
        case tooLarge = "too-large"
        /// Not tried: the service failed too often just now.
        case circuitOpen = "circuit-open"
        /// Not tried: too many calls are under way.
        case overloaded
        /// The call was cut off: cancelled, or the process ended under it.
        case interrupted
    }

    /// For programs.
    public let code: Code
    public var effectCode: String { code.rawValue }
    /// For people; it may change.
    public let message: String

    /// A failure of that kind.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
