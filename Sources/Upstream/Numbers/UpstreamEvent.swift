package import Stores

/// What a log may want to say of remote calls. No address and no body is part of it.
package enum UpstreamEvent: Sendable, Hashable {
    /// What became of one attempt.
    package enum Outcome: Sendable, Hashable {
        case answered(status: Int)
        /// With libcurl's own code, where it has one.
        case failed(RemoteFailure.Code, library: Int?)
    }

    /// One attempt of a call is over; 1 is the first. A redirect that is followed counts as none.
    case attempt(upstream: String, method: String, number: Int, Outcome, Duration)
    case circuit(upstream: String, UpstreamNumbers.Circuit)
}
