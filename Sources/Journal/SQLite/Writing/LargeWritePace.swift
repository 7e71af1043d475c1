/// Decides when a large command may be written. After each one there is a pause for the others, which is several times as long.
package struct LargeWritePace: Sendable {
    private static let pause = 3
    private static let maxPause = Duration.milliseconds(100)
    /// Without other commands for so long, there is no pause.
    private static let quietTime = Duration.seconds(1)

    private(set) var next: ContinuousClock.Instant = .now
    private var others: ContinuousClock.Instant?

    package init() {}

    /// Other commands are written.
    package mutating func recordOthers(at now: ContinuousClock.Instant) { others = now }

    /// A transaction with a large command has ended, and took so long.
    package mutating func recordLarge(_ duration: Duration, at now: ContinuousClock.Instant) {
        next = now + min(Self.maxPause, duration * Self.pause)
    }

    /// Whether the next large command may be written.
    package func allows(_ now: ContinuousClock.Instant) -> Bool {
        guard now < next, let others else { return true }
        return others + Self.quietTime < now
    }
}
