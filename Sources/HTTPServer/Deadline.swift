import Sockets

/// A moment by which something must have happened, moved often and reached seldom. On its loop only.
///
/// The timer is set once and looks again when it fires, so that to move the moment onwards costs nothing.
package final class Deadline {
    private let loop: any EventLoop
    private var moment: LoopInstant?
    private var timer: LoopTimer?
    private var timerFires = LoopInstant(nanoseconds: 0)
    /// Called when the moment has come; kept until ``end()``.
    var passed: (() -> Void)?

    init(on loop: any EventLoop) { self.loop = loop }

    func set(after timeout: Duration) {
        let moment = loop.now.advanced(by: timeout)
        self.moment = moment
        if timer == nil || timerFires > moment { arm(moment) }
    }

    /// Nothing is awaited for now.
    func clear() { moment = nil }

    /// Nothing is awaited any more.
    func end() {
        if let timer { loop.cancel(timer) }
        timer = nil
        moment = nil
        passed = nil
    }

    private func arm(_ moment: LoopInstant) {
        let delay = loop.now.duration(to: moment)
        timerFires = moment
        if let timer, loop.reschedule(timer, after: delay) { return }
        timer = loop.schedule(after: delay) { [self] in look() }
    }

    private func look() {
        timer = nil
        guard let moment else { return }
        if loop.now < moment { arm(moment) } else { passed?() }
    }
}
