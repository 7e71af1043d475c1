package import Platform

/// Bounds what a client sends that asks for nothing: floods of PING, SETTINGS and empty frames, and requests that are reset at once
/// (CVE-2019-9512 to -9518, CVE-2023-44487).
package struct HTTP2Abuse: Sendable {
    /// How many such frames may come at once, and how many a second.
    private static let burst = 1000
    private static let rate = 100

    private var left = Self.burst
    private var refilledAt: MonotonicInstant
    /// How many frames that open the window for us may come: some for what was sent, and some more.
    private var windowUpdates = 1000

    package init(now: MonotonicInstant) { refilledAt = now }

    /// A frame came that asks for nothing, or a request was reset before it was answered.
    ///
    /// - Returns: whether the client goes too far.
    package mutating func wasted(now: MonotonicInstant) -> Bool {
        let refill = refilledAt.duration(to: now) * Self.rate / .seconds(1)
        if refill >= 1 {
            left = min(Self.burst, left + Int(refill))
            refilledAt = now
        }
        left -= 1
        return left < 0
    }

    /// - Returns: whether the client goes too far.
    package mutating func windowOpened() -> Bool {
        windowUpdates -= 1
        return windowUpdates < 0
    }

    /// The client opens its windows again for what was sent, of which it may read a few KiB at a time.
    package mutating func sent(frames: Int, bytes: Int) {
        windowUpdates = min(10_000, windowUpdates + 2 * frames + bytes / 1024)
    }
}
