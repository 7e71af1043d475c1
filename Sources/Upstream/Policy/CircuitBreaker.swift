package import Sockets

/// Decides whether a service that fails is worth another call.
///
/// Closed, it lets calls through and counts failures in a row. After `failures` of them it is open, and refuses calls
/// for the length of the cooldown. Then one call goes through as a probe: its success closes the circuit, its failure
/// opens it again. What calls from before the last change have to say is not heard.
package struct CircuitBreaker: Sendable {
    /// What a call showed about the service.
    package enum Verdict: Sendable {
        case success
        case failure
        /// Nothing: it was cut off from our side.
        case unknown
    }

    /// Leave to call, to be given back with the verdict.
    package struct Permit: Sendable, Hashable {
        let epoch: UInt64
    }

    private enum State {
        case closed(failures: Int)
        case open(until: LoopInstant)
        case probing
    }

    private let failures: Int
    private let cooldown: Duration
    private var state: State = .closed(failures: 0)
    /// Counts the changes of state.
    private var epoch: UInt64 = 0

    /// - Parameters:
    ///   - failures: how many in a row open the circuit; 0 for never.
    ///   - cooldown: how long it stays open.
    package init(failures: Int, cooldown: Duration) {
        self.failures = failures
        self.cooldown = cooldown
    }

    /// How it stands, in a word.
    package var phase: UpstreamMetricsSnapshot.Circuit {
        switch state {
        case .closed: .closed
        case .open: .open
        case .probing: .halfOpen
        }
    }

    /// Whether a call at this moment would be refused.
    package func refuses(at now: LoopInstant) -> Bool {
        switch state {
        case .closed: false
        case .open(let end): now < end
        case .probing: true
        }
    }

    /// Lets a call through, or refuses it with nil.
    package mutating func admit(at now: LoopInstant) -> Permit? {
        guard !refuses(at: now) else { return nil }
        if case .open = state { change(to: .probing) }
        return Permit(epoch: epoch)
    }

    /// Whether the circuit is as it was when the permit was given, so that trying again makes sense.
    package func stands(_ permit: Permit) -> Bool {
        permit.epoch == epoch
    }

    /// Hears what a call showed.
    package mutating func record(_ verdict: Verdict, for permit: Permit, at now: LoopInstant) {
        guard stands(permit) else { return }
        switch (state, verdict) {
        case (.closed, .success): state = .closed(failures: 0)
        case (.closed(let count), .failure): countFailure(after: count, at: now)
        case (.probing, .success): change(to: .closed(failures: 0))
        case (.probing, .failure): change(to: .open(until: now.advanced(by: cooldown)))
        // The probe brought no answer, so the next call is one.
        case (.probing, .unknown): change(to: .open(until: now))
        case (.closed, .unknown), (.open, _): break
        }
    }

    private mutating func countFailure(after count: Int, at now: LoopInstant) {
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
