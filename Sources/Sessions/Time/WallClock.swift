import Platform
package import StoreHosting
import Stores

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
