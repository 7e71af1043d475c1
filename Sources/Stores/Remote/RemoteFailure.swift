/// Why a remote call brought nothing: a stable code for programs and a sentence for people.
public struct RemoteFailure: Error, Sendable, Hashable {
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
    /// For people; it may change.
    public let message: String

    /// A failure of that kind.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
