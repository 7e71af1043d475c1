package import StoreHosting

/// The clock by which sessions expire. Setting the wall clock does not move it.
///
/// It begins as the wall clock, and then follows the monotonic clock of the machine, which does not count the time in
/// which the machine sleeps. A later process continues it from a recorded ``SessionTimeReference``.
package struct SessionClock: Sendable {
    package let wall: WallClock
    /// The session time at the moment when the monotonic clock was 0.
    private let offset: Int

    /// - Parameters:
    ///   - wall: the clocks of the machine.
    ///   - last: what an earlier process recorded; nil to begin as the wall clock.
    ///   - maxAbsence: how much time at most counts between the two processes, in milliseconds, if the machine was
    ///     booted meanwhile. Then only the wall clock knows, and it may be wrong.
    package init(_ wall: WallClock, after last: SessionTimeReference? = nil, maxAbsence: Int = .max) {
        self.wall = wall
        let (steady, now) = (wall.steady(), wall.now())
        offset = Self.time(steady: steady, wall: now, boot: wall.boot, after: last, maxAbsence: maxAbsence) - steady
    }

    /// The session time at which a process begins.
    package static func time(
        steady: Int, wall: Int, boot: UInt64?, after last: SessionTimeReference?, maxAbsence: Int
    ) -> Int {
        guard let last else { return wall }
        if let boot, boot == last.boot, steady >= last.steady { return last.time + (steady - last.steady) }
        return last.time + max(0, min(wall - last.wall, maxAbsence))
    }

    /// Milliseconds. As long as nobody sets the wall clock, these are milliseconds since 1970.
    package func now() -> Int { offset + wall.steady() }

    /// The time by which sessions expire: none has, as long as the time cannot be relied on.
    func expiryTime() -> Int { wall.isTrusted() ? now() : 0 }

    /// The moment on the wall clock that a session time stands for, to be shown.
    ///
    /// The clocks drift a little against each other. Up to a second this is not corrected, so that moments stay as they
    /// are.
    package func shown(_ moment: Int) -> Int {
        let difference = wall.now() - now()
        return abs(difference) < 1000 ? moment : moment + difference
    }

    /// The current moment, for a later process.
    package var reference: SessionTimeReference {
        SessionTimeReference(time: now(), steady: wall.steady(), wall: wall.now(), boot: wall.boot)
    }
}
