/// Decides when a node asks the other end of a connection whether it is there, and when that counts as gone.
///
/// The node that has opened the connection asks after each interval, whatever it has heard: so the other one hears something as well.
/// Intervals count, and not time: a process that stood still has not read what came meanwhile.
package struct LinkSilence: Sendable {
    package enum Step: Sendable, Hashable {
        case ask
        case wait
        case giveUp
    }

    private let opens: Bool
    private var lastHeard: UInt64?
    private var silentIntervals = 0

    /// - Parameter opens: whether this node has opened the connection.
    package init(opens: Bool) { self.opens = opens }

    /// An interval is over.
    ///
    /// - Parameter moment: when something was heard last, by a monotonic clock.
    package mutating func intervalEnded(lastHeard moment: UInt64) -> Step {
        silentIntervals = moment == lastHeard ? silentIntervals + 1 : 0
        lastHeard = moment
        // The node that asks gives up first, because it knows that it has asked.
        guard silentIntervals < (opens ? 2 : 3) else { return .giveUp }
        return opens ? .ask : .wait
    }
}
