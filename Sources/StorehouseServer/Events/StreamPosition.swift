package import Platform
import Sockets

/// The position of one stream: the newest revision that it has sent, and the events that its slow client has missed.
///
/// A client that reads too slowly is sent no more events of commits until it has read what is pending. Then it gets the
/// newest value, with the number of events that were skipped.
package struct StreamPosition: Sendable {
    package private(set) var lastSentRevision = -1
    package private(set) var skippedCount = 0
    private var isCatchingUp = false

    package init() {}

    /// The initial events are sent.
    package mutating func start(at revision: Int) { lastSentRevision = revision }

    /// An event of a commit is there.
    ///
    /// - Parameters:
    ///   - byteCount: the length of the event.
    ///   - pendingBytes: how many bytes wait for the client.
    ///   - limit: how many bytes may wait. A longer event is sent only if nothing waits.
    /// - Returns: whether to send it. An event that the client has is ignored; one that it is too slow for is counted.
    package mutating func accepts(revision: Int, byteCount: Int, pendingBytes: Int, limit: Int) -> Bool {
        guard revision > lastSentRevision else { return false }
        guard hasRoom(byteCount, pendingBytes, limit) else {
            skippedCount += 1
            return false
        }
        lastSentRevision = revision
        return true
    }

    /// An event is there that says nothing of the state, such as one of an effect. Such events are dropped for slow clients, and are not
    /// counted.
    package func acceptsPassing(byteCount: Int, pendingBytes: Int, limit: Int) -> Bool {
        hasRoom(byteCount, pendingBytes, limit)
    }

    /// An event is there that says nothing of the state, and must not be missed.
    ///
    /// - Returns: whether to send it. If not, it counts as skipped, so that the client gets what it says with the newest value.
    package mutating func acceptsReady(byteCount: Int, pendingBytes: Int, limit: Int) -> Bool {
        let isAccepted = hasRoom(byteCount, pendingBytes, limit)
        if !isAccepted { skippedCount += 1 }
        return isAccepted
    }

    private func hasRoom(_ byteCount: Int, _ pendingBytes: Int, _ limit: Int) -> Bool {
        skippedCount == 0 && (pendingBytes == 0 || pendingBytes + byteCount <= limit)
    }

    /// The client has read all pending bytes.
    ///
    /// - Returns: whether to fetch the newest value for it.
    package mutating func flushed() -> Bool {
        guard skippedCount > 0, !isCatchingUp else { return false }
        isCatchingUp = true
        return true
    }

    /// The newest value is there.
    ///
    /// - Parameter count: how many events the client had missed when the value was read; nil for all. Later ones may be newer than the
    ///   value, so it is read once more for them.
    /// - Returns: how many events it skips; nil if the client has the value already.
    package mutating func caughtUp(revision: Int, lastChangedRevision: Int, of count: Int? = nil) -> Int? {
        // The newest of the skipped events is sent now.
        let count = count ?? skippedCount
        let skipped = count - 1
        isCatchingUp = false
        skippedCount -= count
        guard lastChangedRevision > lastSentRevision else { return nil }
        lastSentRevision = revision
        return skipped
    }
}

/// When one stream sends heartbeats and when it ends by itself.
package struct StreamClock: Sendable {
    private var lastSentAt: MonotonicInstant
    /// In nanoseconds, since a `Duration` takes twice the memory.
    private var heartbeatInterval: Int64
    /// When the stream ends so that its client reconnects; the end of time for never.
    private let rotatesAt: MonotonicInstant

    /// - Parameter lifetime: nil for a stream that does not rotate.
    package init(now: MonotonicInstant, heartbeatInterval: Duration, lifetime: Duration?) {
        lastSentAt = now
        rotatesAt = lifetime.map(now.advanced) ?? MonotonicInstant(nanoseconds: .max)
        self.heartbeatInterval = heartbeatInterval.wholeNanoseconds
    }

    /// Bytes are sent. The timer is not moved for them: it looks again when it fires.
    package mutating func sent(now: MonotonicInstant) { lastSentAt = now }

    /// For how long to set the timer.
    package func timerDelay(now: MonotonicInstant) -> Duration {
        min(.nanoseconds(heartbeatInterval) - lastSentAt.duration(to: now), now.duration(to: rotatesAt))
    }

    package enum TimerAction: Sendable, Hashable {
        case rotate
        case sendHeartbeat
        /// Set the timer again.
        case wait
    }

    /// The timer fired.
    ///
    /// - Parameter nextInterval: the heartbeat interval to use from now on, if one has passed.
    package mutating func timerFired(
        now: MonotonicInstant, pendingBytes: Int, nextInterval: Duration
    ) -> TimerAction {
        if rotatesAt <= now { return .rotate }
        guard lastSentAt.duration(to: now) >= .nanoseconds(heartbeatInterval) else { return .wait }
        heartbeatInterval = nextInterval.wholeNanoseconds
        lastSentAt = now
        // A client with pending bytes learns nothing from a heartbeat.
        return pendingBytes == 0 ? .sendHeartbeat : .wait
    }
}

/// The durations of streams, spread at random so that streams that open together do not act together.
///
/// `random` is between 0 and 1.
package enum StreamTiming {
    /// How long a stream may be silent: a little less than `heartbeat`.
    package static func heartbeatInterval(_ heartbeat: Duration, _ random: Double) -> Duration {
        heartbeat * (0.9 + 0.09 * random)
    }

    /// How long a stream lives: 80% to 100% of the maximum; nil for ever if that is zero.
    package static func lifetime(_ maximum: Duration, _ random: Double) -> Duration? {
        maximum > .zero ? maximum * (0.8 + 0.2 * random) : nil
    }

    /// How long a client waits before it reconnects, in milliseconds: 2 to 3 seconds.
    package static func retry(_ random: Double) -> Int { 2000 + Int(1000 * random) }

    /// The time if all streams of the server end: 1 second, and up to 5 more, 4 ms for each stream.
    package static func retry(among streamCount: Int, _ random: Double) -> Int {
        1000 + Int(min(5000, 4 * Double(streamCount)) * random)
    }
}

extension Double {
    /// Between 0 and 1.
    static var jitter: Double { .random(in: 0...1) }
}
