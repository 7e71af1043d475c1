package import Platform
import Sockets

/// Stops calls of a service that fails.
///
/// A closed circuit lets calls through and counts failures in a row. After `failures` of them it opens, and refuses calls
/// during the cooldown. Then it lets one call through as a probe: success closes the circuit, failure opens it again.
/// Results of calls that began before the last change are ignored.
package struct CircuitBreaker: Sendable {
    /// The result of a call for the breaker.
    package enum Verdict: Sendable {
        case success
        case failure
        /// The call was cancelled, which shows nothing.
        case unknown
    }

    /// The permission for one call, given back with its verdict.
    package struct Permit: Sendable, Hashable {
        let epoch: UInt64
    }

    private enum State {
        case closed(failures: Int)
        case open(until: MonotonicInstant)
        case probing
    }

    private let failures: Int
    private let cooldown: Duration
    private var state: State = .closed(failures: 0)
    /// Counts the changes of state.
    private var epoch: UInt64 = 0

    /// - Parameters:
    ///   - failures: the number of failures in a row that opens the circuit; 0 for never.
    ///   - cooldown: how long the circuit stays open.
    package init(failures: Int, cooldown: Duration) {
        self.failures = failures
        self.cooldown = cooldown
    }

    /// The state of the circuit.
    package var phase: UpstreamMetricsSnapshot.Circuit {
        switch state {
        case .closed: .closed
        case .open: .open
        case .probing: .halfOpen
        }
    }

    /// True if a call at this moment would be refused.
    package func refuses(at now: MonotonicInstant) -> Bool {
        switch state {
        case .closed: false
        case .open(let end): now < end
        case .probing: true
        }
    }

    /// A permit for a call; nil if it is refused.
    package mutating func admit(at now: MonotonicInstant) -> Permit? {
        guard !refuses(at: now) else { return nil }
        if case .open = state { change(to: .probing) }
        return Permit(epoch: epoch)
    }

    /// True if the circuit has not changed since the permit was given, so that a retry makes sense.
    package func isCurrent(_ permit: Permit) -> Bool {
        permit.epoch == epoch
    }

    /// Records the result of a call.
    package mutating func record(_ verdict: Verdict, for permit: Permit, at now: MonotonicInstant) {
        guard isCurrent(permit) else { return }
        switch (state, verdict) {
        case (.closed, .success): state = .closed(failures: 0)
        case (.closed(let count), .failure): countFailure(after: count, at: now)
        case (.probing, .success): change(to: .closed(failures: 0))
        case (.probing, .failure): change(to: .open(until: now.advanced(by: cooldown)))
        // The probe showed nothing, so the next call is a probe.
        case (.probing, .unknown): change(to: .open(until: now))
        case (.closed, .unknown), (.open, _): break
        }
    }

    private mutating func countFailure(after count: Int, at now: MonotonicInstant) {
        guard failures > 0, count + 1 >= failures else {
            state = .closed(failures: failures > 0 ? count + 1 : 0)
            return
        }
        change(to: .open(until: now.advanced(by: cooldown)))
    }

    private mutating func change(to new: State) {
        state = new
        epoch &+= 1
    }
}
