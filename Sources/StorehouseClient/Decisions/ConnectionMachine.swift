/// Decides when a stream is open, and what the connection is called.
///
/// It does nothing itself: after each step its owner opens or closes, so that ``stream`` is the number of the open stream, and comes
/// back at ``wake``. All times are in milliseconds.
package struct ConnectionMachine {
    package enum Event {
        case start
        /// The time at which something was due.
        case tick
        case bytes
        /// - Parameter heartbeat: the time between two heartbeats; nil if the server has not told.
        case ready(heartbeat: Double?)
        /// - Parameters:
        ///   - retry: the base of the backoff.
        ///   - atLeast: how long the server wants to be left alone.
        case lost(retry: Double, atLeast: Double)
        /// The server has ended the stream, and said why.
        case closed(reason: String, retry: Double)
        /// The network may be better now.
        case poke
        case online, offline
        /// Another stream is wanted at once.
        case again
        case unauthorized
        /// There is another token.
        case renewed
        case end(reason: String)
    }

    private static let grace = 5000.0  // until a loss is called offline
    private static let settled = 10_000.0  // a server that accepts and closes must not reset the backoff
    private static let headLimit = 10_000.0
    private static let pause = 1000.0  // between attempts that something asked for

    package private(set) var status = RemoteConnection.Status.connecting
    /// The time at which the connection was lost.
    package private(set) var since = 0.0
    /// The number of the open stream; 0 if there is none.
    package private(set) var stream = 0

    private var count = 0
    private var now = 0.0
    private var isActive = false
    private var isOnline = true
    private var failures = 0
    /// Whether a stream was opened without a pause, and is not live yet.
    private var hasReopened = false
    private var retryAt = Double.infinity
    private var notBefore = 0.0
    private var openedAt = -Double.infinity
    private var byteAt = 0.0
    private var hasBytes = false
    private var turnAt = 0.0
    private var liveAt = 0.0
    private var heartbeat = 15_000.0
    private let random: () -> Double

    /// - Parameter random: gives numbers from 0 to 1.
    package init(random: @escaping () -> Double) {
        self.random = random
    }

    /// The time at which the next step is due, if nothing happens before.
    package var wake: Double {
        min(
            stream > 0 ? min(silentAt, turnAt + heartbeat) : retryAt,
            status == .reconnecting ? since + Self.grace : .infinity)
    }

    private var hasEnded: Bool { if case .ended = status { true } else { false } }
    private var isIdle: Bool { !isActive || status == .unauthorized }
    private var silentAt: Double { byteAt + (hasBytes ? 2.5 * heartbeat : Self.headLimit) }

    package mutating func step(_ event: Event, at time: Double) {
        guard !hasEnded else { return }
        now = time
        // Timers come at least once a heartbeat, so a longer pause means that the process was frozen.
        let wasFrozen = stream > 0 && now - turnAt > 2 * heartbeat
        turnAt = now
        if wasFrozen { lose(until: now) }
        if !wasFrozen || !event.isOfStream { take(event) }
        advance()
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .start:
            isActive = true
            if stream == 0 { retryAt = now }
        case .tick: break
        case .bytes:
            byteAt = now
            hasBytes = true
        case .ready(let heartbeat):
            if let heartbeat { self.heartbeat = heartbeat }
            if status != .live { liveAt = now }
            status = .live
            hasReopened = false
        case .lost(let retry, let atLeast): fail(retry: retry, atLeast: atLeast)
        case .closed(let reason, let retry): close(reason, retry)
        case .poke: hurry()
        case .online:
            isOnline = true
            hurry()
        case .offline:
            isOnline = false
            fail(retry: 0, atLeast: 0)
            show(.offline)
        case .again: reopen()
        case .unauthorized:
            lose(until: .infinity)
            show(.unauthorized)
        case .renewed:
            if status == .unauthorized { show(.reconnecting) }
            hurry()
        case .end(let reason): end(reason)
        }
    }

    /// Does what is due.
    private mutating func advance() {
        guard !hasEnded else { return }
        if stream > 0, now >= silentAt { fail(retry: 0, atLeast: 0) }
        if status == .reconnecting, now >= since + Self.grace { status = .offline }
        guard stream == 0, now >= retryAt else { return }
        count += 1
        stream = count
        retryAt = .infinity
        hasBytes = false
        openedAt = now
        byteAt = now
        turnAt = now
    }

    private mutating func close(_ reason: String, _ retry: Double) {
        switch reason {
        case "session-ended", "revoked": end(reason)
        case "rotated", "expired": lose(until: openedAt + Self.pause)
        default: fail(retry: retry, atLeast: retry)
        }
    }

    private mutating func end(_ reason: String) {
        stream = 0
        isActive = false
        retryAt = .infinity
        status = .ended(reason)
    }

    /// - Parameter until: the time of the next attempt.
    private mutating func lose(until: Double) {
        if status == .live, now - liveAt >= Self.settled { failures = 0 }
        if status == .live || status == .connecting { show(isOnline ? .reconnecting : .offline) }
        stream = 0
        retryAt = max(now, until)
    }

    private mutating func fail(retry: Double, atLeast: Double) {
        guard !isIdle else { return }
        notBefore = now + atLeast
        lose(until: now)
        retryAt = now + max(atLeast, Backoff.delay(failures: failures, retry: retry, random: random()))
        failures += 1
    }

    /// Tries again at once. If that does not lead to a state, the next attempt waits as after a loss.
    private mutating func reopen() {
        guard stream > 0 else { return }
        if hasReopened { return fail(retry: 0, atLeast: 0) }
        hasReopened = true
        lose(until: now)
    }

    private mutating func hurry() {
        guard !isIdle else { return }
        let isFresh = status == .live ? now - byteAt <= heartbeat + Self.pause : now - openedAt < Self.pause
        if stream == 0 || !isFresh { lose(until: max(openedAt + Self.pause, notBefore)) }
    }

    private mutating func show(_ status: RemoteConnection.Status) {
        guard self.status != status else { return }
        self.status = status
        since = now
    }
}

extension ConnectionMachine.Event {
    /// Whether it is news of the open stream.
    fileprivate var isOfStream: Bool {
        switch self {
        case .bytes, .ready, .lost, .closed: true
        default: false
        }
    }
}

/// The reasons for which a stream has ended for good.
package enum StreamEnd {
    /// The server refuses the stream or the session for good, such as one of another kind.
    package static let refused = "refused"

    /// The reason in a status of a stream; nil if another attempt may succeed.
    package static func reason(ofStatus status: Int) -> String? {
        switch status {
        case 204, 410: "session-ended"
        case 403: "forbidden"
        case 404: "not-found"
        case 401, 408, 429: nil
        case 400..<500: refused
        default: nil
        }
    }
}
