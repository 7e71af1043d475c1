import Locks
import Platform
package import RemoteServices
import Stores

/// Counts the calls to one remote service.
final class UpstreamMetrics: Sendable {
    /// No other lock is taken while this one is held.
    private let counted: Locked<UpstreamMetricsSnapshot>

    init(_ name: String) {
        counted = Locked(UpstreamMetricsSnapshot(name: name))
    }

    var snapshot: UpstreamMetricsSnapshot { counted.withLock { $0 } }

    func countCall() { counted.withLock { $0.calls += 1 } }

    func countRetry() { counted.withLock { $0.retries += 1 } }

    /// Counts a failed call or an unusable response.
    func count(_ failure: RemoteFailure.Code) { counted.withLock { $0.failures[failure, default: 0] += 1 } }

    func set(inFlight: Int, waiting: Int) {
        counted.withLock { ($0.inFlight, $0.waiting) = (inFlight, waiting) }
    }

    func set(_ circuit: UpstreamMetricsSnapshot.Circuit) { counted.withLock { $0.circuit = circuit } }

    /// Counts the end of a call.
    func end(_ result: Result<RemoteResponse, RemoteFailure>, after duration: Duration) {
        counted.withLock { snapshot in
            switch result {
            case .success(let answer): snapshot.answers[answer.status / 100, default: 0] += 1
            case .failure(let failure):
                snapshot.failures[failure.code, default: 0] += 1
                if failure.code == .circuitOpen || failure.code == .overloaded { return }
            }
            snapshot.latency.add(duration)
        }
    }
}

/// The metrics of one remote service at one moment.
package struct UpstreamMetricsSnapshot: Sendable, Equatable {
    /// The state of the circuit breaker.
    package enum Circuit: String, Sendable, CaseIterable {
        case closed, open
        case halfOpen = "half-open"
    }

    package let name: String
    /// All calls, also those refused without an attempt.
    package internal(set) var calls = 0
    /// Responses by the first digit of their status.
    package internal(set) var answers: [Int: Int] = [:]
    /// Failed calls and unusable responses by code.
    package internal(set) var failures: [RemoteFailure.Code: Int] = [:]
    package internal(set) var retries = 0
    package internal(set) var circuit = Circuit.closed
    /// Calls under way.
    package internal(set) var inFlight = 0
    /// Calls that wait for their turn.
    package internal(set) var waiting = 0
    /// The durations of calls, without those refused without an attempt.
    package internal(set) var latency = LatencyHistogram()

    init(name: String) { self.name = name }
}

/// A histogram of durations.
package struct LatencyHistogram: Sendable, Equatable {
    /// The upper bounds in seconds. One more bucket counts what is longer.
    package static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// The count of each bucket, without the buckets below.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    /// The sum of all durations in seconds.
    package private(set) var sum = 0.0

    package init() {}

    /// The number of durations.
    package var count: Int { counts.reduce(0, +) }

    package mutating func add(_ duration: Duration) {
        let seconds = max(duration.inSeconds, 0)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }
}

/// A log event of remote calls. It contains neither address nor body.
package enum UpstreamEvent: Sendable, Hashable {
    /// The outcome of one attempt.
    package enum Outcome: Sendable, Hashable {
        case answered(status: Int)
        /// - library: libcurl's own code, if it has one.
        case failed(RemoteFailure.Code, library: Int?)
    }

    /// The end of an attempt; `number` is 1 for the first. A followed redirect is part of its attempt.
    case attempt(upstream: String, method: String, number: Int, Outcome, Duration)
    case circuit(upstream: String, UpstreamMetricsSnapshot.Circuit)
    /// Files with certificates or keys were replaced, and are used.
    case trustReplaced(upstream: String)
    /// They were replaced, and cannot be used. The old content stays.
    case trustUnusable(upstream: String, reason: String)
}
