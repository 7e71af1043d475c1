package import Sockets

/// Decides when the timer of a deadline must be armed. A pure value.
///
/// Deadlines move with each request and are seldom reached. Moving one onwards therefore costs nothing: the armed timer
/// fires at the old moment and is armed again.
package struct DeadlineState: Sendable {
    /// When the armed timer fires; the end of time if none is armed.
    private var timerFiresAt = Self.never
    private var deadline: LoopInstant?

    private static var never: LoopInstant { LoopInstant(nanoseconds: .max) }

    package init() {}

    /// Sets or moves the deadline.
    ///
    /// - Returns: whether the caller must arm the timer for it.
    package mutating func set(_ deadline: LoopInstant) -> Bool {
        self.deadline = deadline
        guard timerFiresAt > deadline else { return false }
        timerFiresAt = deadline
        return true
    }

    /// Removes the deadline. An armed timer may stay.
    package mutating func clear() { deadline = nil }

    package enum TimerAction: Sendable, Hashable {
        case expire
        case arm(LoopInstant)
        case none
    }

    /// The armed timer fired.
    package mutating func timerFired(now: LoopInstant) -> TimerAction {
        timerFiresAt = Self.never
        guard let deadline else { return .none }
        guard now < deadline else { return .expire }
        timerFiresAt = deadline
        return .arm(deadline)
    }
}

/// A deadline on an event loop. On its loop only.
package final class Deadline {
    private let loop: any EventLoop
    // Accesses cannot overlap, because its methods call nothing else.
    @exclusivity(unchecked) private var state = DeadlineState()
    private var timer: LoopTimer?
    /// Called when the deadline is reached; released by ``end()``.
    var onExpiry: (() -> Void)?

    init(on loop: any EventLoop) { self.loop = loop }

    func set(after timeout: Duration) {
        let deadline = loop.now.advanced(by: timeout)
        if state.set(deadline) { arm(deadline) }
    }

    func clear() { state.clear() }

    /// Stops the timer for good.
    func end() {
        if let timer { loop.cancel(timer) }
        timer = nil
        state = DeadlineState()
        onExpiry = nil
    }

    private func arm(_ deadline: LoopInstant) {
        let delay = loop.now.duration(to: deadline)
        if let timer, loop.reschedule(timer, after: delay) { return }
        timer = loop.schedule(after: delay) { [self] in timerFired() }
    }

    private func timerFired() {
        timer = nil
        switch state.timerFired(now: loop.now) {
        case .expire: onExpiry?()
        case .arm(let deadline): arm(deadline)
        case .none: break
        }
    }
}
