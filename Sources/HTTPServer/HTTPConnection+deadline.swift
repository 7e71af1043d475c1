import Platform
import Sockets

// The timer of a connection's deadline.
extension HTTPConnection {
    func setDeadline(after timeout: Duration) {
        let moment = now.advanced(by: timeout)
        if deadline.set(moment) { armTimer(at: moment) }
    }

    /// Removes the deadline and its timer.
    func stopTimer() {
        if let timer { context.loop.cancel(timer) }
        timer = nil
        deadline = Deadline()
    }

    private func armTimer(at moment: MonotonicInstant) {
        let delay = now.duration(to: moment)
        if let timer, context.loop.reschedule(timer, after: delay) { return }
        timer = context.loop.schedule(after: delay) { [self] in timerFired() }
    }

    private func timerFired() {
        timer = nil
        switch deadline.timerFired(now: now) {
        case .expire: timedOut()
        case .arm(let moment): armTimer(at: moment)
        case .none: break
        }
    }
}
