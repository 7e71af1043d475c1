package import Platform
import Sockets

/// Decides when the timer of a deadline must be armed.
///
/// Deadlines move with each request and are seldom reached. Moving one onwards therefore costs nothing: the armed timer
/// fires at the old moment and is armed again.
package struct Deadline: Sendable {
    /// When the armed timer fires; the end of time if none is armed.
    private var timerFiresAt = Self.never
    /// The end of time if there is no deadline.
    private var moment = Self.never

    private static var never: MonotonicInstant { MonotonicInstant(nanoseconds: .max) }

    package init() {}

    /// Sets or moves the deadline.
    ///
    /// - Returns: whether the caller must arm the timer for it.
    package mutating func set(_ moment: MonotonicInstant) -> Bool {
        self.moment = moment
        guard moment < timerFiresAt else { return false }
        timerFiresAt = moment
        return true
    }

    /// Removes the deadline. An armed timer may stay.
    package mutating func clear() { moment = Self.never }

    package enum TimerAction: Sendable, Hashable {
        case expire
        case arm(MonotonicInstant)
        case none
    }

    /// The armed timer fired.
    package mutating func timerFired(now: MonotonicInstant) -> TimerAction {
        timerFiresAt = Self.never
        guard moment != Self.never else { return .none }
        guard now < moment else { return .expire }
        timerFiresAt = moment
        return .arm(moment)
    }
}

// The timer of a connection's deadline.
extension HTTPConnection {
    func setDeadline(after timeout: Duration) {
        let moment = now.advanced(by: timeout)
        if deadline.set(moment) { armTimer(at: moment) }
    }

    /// Removes the deadline and its timer.
    func stopTimer() {
        if let timer { context.loop.cancel(timer) }
        timer = nil
        deadline = Deadline()
    }

    private func armTimer(at moment: MonotonicInstant) {
        let delay = now.duration(to: moment)
        if let timer, context.loop.reschedule(timer, after: delay) { return }
        timer = context.loop.schedule(after: delay) { [self] in timerFired() }
    }

    private func timerFired() {
        timer = nil
        switch deadline.timerFired(now: now) {
        case .expire: timedOut()
        case .arm(let moment): armTimer(at: moment)
        case .none: break
        }
    }
}
