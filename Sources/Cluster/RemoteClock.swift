/// Follows the clock of Redis by the answers that tell its time.
///
/// Redis has read its clock after the request was sent and before the answer came. So each answer bounds the difference to the
/// node's monotonic clock, and an estimate changes only if an answer contradicts it: it does not move with the delays of a network.
/// Setting the wall clock of the node changes nothing.
///
/// All times are milliseconds.
package struct RemoteClock: Sendable {
    /// By how much the clock of Redis is ahead of the node's monotonic clock; nil before the first answer.
    package private(set) var offset: Int?

    package init() {}

    /// - Parameters:
    ///   - time: what Redis has told.
    ///   - sentAt: when the request was sent, or earlier, by the monotonic clock.
    ///   - receivedAt: when the answer came, or later.
    package mutating func take(_ time: Int, sentAt: Int, receivedAt: Int) {
        // Both clocks are rounded.
        let (least, most) = (time - receivedAt, time + 1 - sentAt)
        let estimate = offset ?? least + (most - least) / 2
        offset = max(least, min(estimate, most))
    }
}

/// Decides whether a node may rely on the time, by how far its wall clock and the clock of Redis are apart.
///
/// If they differ, nobody knows which of the two is wrong. Then nothing that depends on the time may be deleted, at once. The node
/// says only a little later that it is not ready, because the clock of a machine is often set while its programs start.
package struct ClockAgreement: Sendable {
    /// An event to log.
    package enum Change: Sendable, Equatable {
        /// By how many milliseconds the node's clock is ahead.
        case differs(Int)
        case agrees
    }

    package static let limit = 30_000
    /// How long the clocks differ before the node is not ready.
    package static let grace = 5000

    /// By how many milliseconds the node's clock is ahead, if that is too much.
    package private(set) var difference: Int?
    private var since = 0

    package init() {}

    /// - Parameters:
    ///   - ahead: by how many milliseconds the node's wall clock is ahead of the clock of Redis.
    ///   - now: by a monotonic clock.
    package mutating func take(ahead: Int, now: Int) -> Change? {
        guard abs(ahead) > Self.limit else {
            defer { difference = nil }
            return difference == nil ? nil : .agrees
        }
        let isNew = difference == nil
        if isNew { since = now }
        difference = ahead
        return isNew ? .differs(ahead) : nil
    }

    /// Whether the node serves.
    package func isReady(at now: Int) -> Bool { difference == nil || now - since < Self.grace }
}
