package import Stores

/// What was counted of the calls to one remote service, at one moment.
package struct UpstreamNumbers: Sendable, Equatable {
    /// How the circuit stands.
    package enum Circuit: String, Sendable, CaseIterable {
        case closed, open
        case halfOpen = "half-open"
    }

    package let name: String
    /// Calls begun, those refused without a try included.
    package internal(set) var calls = 0
    /// Answers by the first digit of their status.
    package internal(set) var answers: [Int: Int] = [:]
    /// Calls that failed, and answers that were of no use, by code.
    package internal(set) var failures: [RemoteFailure.Code: Int] = [:]
    package internal(set) var retries = 0
    package internal(set) var circuit = Circuit.closed
    /// Calls under way.
    package internal(set) var inFlight = 0
    /// Calls in line.
    package internal(set) var waiting = 0
    /// How long calls took, from first to last; those that were refused without a try are not in it.
    package internal(set) var latency = LatencyHistogram()

    init(name: String) { self.name = name }
}
