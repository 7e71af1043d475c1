import Locks
import Stores

/// Counts the calls to one remote service: the only place that does.
final class UpstreamMeter: Sendable {
    /// Guards what was counted. A leaf.
    private let counted: Locked<UpstreamNumbers>

    init(_ name: String) {
        counted = Locked(UpstreamNumbers(name: name))
    }

    var numbers: UpstreamNumbers { counted.withLock { $0 } }

    func countCall() { counted.withLock { $0.calls += 1 } }

    func countRetry() { counted.withLock { $0.retries += 1 } }

    /// A call has failed, or an answer was of no use.
    func count(_ failure: RemoteFailure.Code) { counted.withLock { $0.failures[failure, default: 0] += 1 } }

    func set(inFlight: Int, waiting: Int) {
        counted.withLock { ($0.inFlight, $0.waiting) = (inFlight, waiting) }
    }

    func set(_ circuit: UpstreamNumbers.Circuit) { counted.withLock { $0.circuit = circuit } }

    /// A call is over.
    func end(_ result: Result<RemoteAnswer, RemoteFailure>, after length: Duration) {
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
