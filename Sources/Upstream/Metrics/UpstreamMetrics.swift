import Locks
package import RemoteServices
import Stores

/// Counts the calls to one remote service: the only place that does.
final class UpstreamMetrics: Sendable {
    /// Guards what was counted. A leaf.
    private let counted: Locked<UpstreamMetricsSnapshot>

    init(_ name: String) {
        counted = Locked(UpstreamMetricsSnapshot(name: name))
    }

    var numbers: UpstreamMetricsSnapshot { counted.withLock { $0 } }

    func countCall() { counted.withLock { $0.calls += 1 } }

    func countRetry() { counted.withLock { $0.retries += 1 } }

    /// A call has failed, or an answer was of no use.
    func count(_ failure: RemoteFailure.Code) { counted.withLock { $0.failures[failure, default: 0] += 1 } }

    func set(inFlight: Int, waiting: Int) {
        counted.withLock { ($0.inFlight, $0.waiting) = (inFlight, waiting) }
    }

    func set(_ circuit: UpstreamMetricsSnapshot.Circuit) { counted.withLock { $0.circuit = circuit } }

    /// A call is over.
    func end(_ result: Result<RemoteResponse, RemoteFailure>, after length: Duration) {
        counted.withLock { numbers in
            switch result {
            case .success(let answer): numbers.answers[answer.status / 100, default: 0] += 1
            case .failure(let failure):
                numbers.failures[failure.code, default: 0] += 1
                if failure.code == .circuitOpen || failure.code == .overloaded { return }
            }
            numbers.latency.add(length)
        }
    }
}

/// What was counted of the calls to one remote service, at one moment.
package struct UpstreamMetricsSnapshot: Sendable, Equatable {
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

/// Lengths of time, counted by how long they are.
package struct LatencyHistogram: Sendable, Equatable {
    /// The upper bounds in seconds; what is longer than the last is counted behind them.
    package static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// How many fell into each, not counting those below.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    /// All of them together, in seconds.
    package private(set) var sum = 0.0

    package init() {}

    /// How many there are.
    package var count: Int { counts.reduce(0, +) }

    package mutating func add(_ length: Duration) {
        let seconds = max(length / .seconds(1), 0)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }
}

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
    case circuit(upstream: String, UpstreamMetricsSnapshot.Circuit)
}
