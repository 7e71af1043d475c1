import Platform
package import StoreHosting
import Stores

/// The clock by which sessions expire. Setting the wall clock does not move it.
///
/// It begins as the wall clock, and then follows the monotonic clock of the machine, which does not count the time in
/// which the machine sleeps. A later process continues it from a recorded ``SessionTimeReference``.
package struct SessionClock: Sendable {
    let wall: WallClock
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
    var reference: SessionTimeReference {
        SessionTimeReference(time: now(), steady: wall.steady(), wall: wall.now(), boot: wall.boot)
    }
}

/// The clocks of a server and its stores, as a parameter for tests.
package struct WallClock: StoreClock {
    private let read: @Sendable () -> Int
    /// A clock in milliseconds that nobody can set. It begins when the machine boots.
    package let steady: @Sendable () -> Int
    /// Identifies the boot to which ``steady`` belongs; nil if the system does not tell.
    package let boot: UInt64?
    /// Whether the time can be relied on. If not, nothing may be deleted because of its age.
    let isTrusted: @Sendable () -> Bool
    /// Whether another machine tells the time.
    private let isShared: Bool

    /// The clocks of the system.
    package init() { self.init(now: systemTime, steady: steadyTime, boot: bootIdentity()) }

    /// - Parameters:
    ///   - now: milliseconds since 1970-01-01T00:00:00Z.
    ///   - steady: a clock that nobody can set; nil if nobody sets `now`.
    ///   - boot: identifies the boot to which `steady` belongs.
    package init(now: @escaping @Sendable () -> Int, steady: (@Sendable () -> Int)? = nil, boot: UInt64? = 1) {
        read = now
        self.steady = steady ?? now
        self.boot = boot
        isTrusted = { true }
        isShared = false
    }

    private init(
        _ read: @escaping @Sendable () -> Int, steady: @escaping @Sendable () -> Int, boot: UInt64?,
        isTrusted: @escaping @Sendable () -> Bool, isShared: Bool
    ) {
        (self.read, self.steady, self.boot) = (read, steady, boot)
        (self.isTrusted, self.isShared) = (isTrusted, isShared)
    }

    /// These clocks, but with the time that several processes have in common, if there is one. Nobody sets it on this machine.
    package func shared(_ time: SharedTime?) -> WallClock {
        guard let time else { return self }
        return WallClock(time.now, steady: steady, boot: boot, isTrusted: time.isTrusted, isShared: true)
    }

    /// A clock whose time of day is all there is: several processes have nothing else in common.
    var timeOfDay: WallClock { WallClock(read, steady: read, boot: boot, isTrusted: isTrusted, isShared: isShared) }

    package func now() -> Int { read() }

    /// The time by which things expire: 0, which is before everything, as long as the time cannot be relied on.
    func expiryTime() -> Int { isTrusted() ? read() : 0 }

    /// Waits in real time, for as long as `moment` is in the future.
    package func sleep(until moment: Int) async throws(CancellationError) {
        if isShared { return try await sleepShortly(until: moment) }
        let system = SystemClock()
        let (due, isTooFar) = moment.addingReportingOverflow(system.now() - now())
        try await system.sleep(until: isTooFar ? moment : due)
    }

    /// Looks at the clock again every ten seconds, as the clock of the system does.
    private func sleepShortly(until moment: Int) async throws(CancellationError) {
        while true {
            if Task.isCancelled { throw CancellationError() }
            let rest = moment.subtractingReportingOverflow(now())
            guard rest.overflow || rest.partialValue > 0 else { return }
            do {
                try await Task.sleep(for: .milliseconds(rest.overflow ? 10_000 : min(rest.partialValue, 10_000)))
            } catch {
                throw CancellationError()
            }
        }
    }
}

/// Identifies the time since the machine was booted; nil if the system does not tell.
@Sendable package func bootIdentity() -> UInt64? {
    guard let text = kernelText(of: "/proc/sys/kernel/random/boot_id"), text.utf8.count >= 36 else { return nil }
    // The id is random (RFC 9562), so half of its digits are enough.
    return UInt64(String(text.prefix(36).filter { $0 != "-" }.suffix(16)), radix: 16)
}
