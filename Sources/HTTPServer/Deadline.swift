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
