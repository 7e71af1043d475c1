/// A loop whose timers, clock and buffer are those of a `LoopCore`.
package protocol CoreLoop: EventLoop {
    var core: LoopBound<LoopCore> { get }
}

extension CoreLoop {
    package func schedule(after delay: Duration, _ job: @escaping () -> Void) -> LoopTimer {
        core.value.schedule(after: delay, job)
    }

    @discardableResult
    package func reschedule(_ timer: LoopTimer, after delay: Duration) -> Bool {
        core.value.reschedule(timer, after: delay)
    }

    package func cancel(_ timer: LoopTimer) {
        core.value.timers.cancel(timer)
    }

    package func afterwards(_ job: @escaping () -> Void) {
        core.value.putOff.append(job)
    }

    package var now: LoopInstant { core.value.now }

    package var readBuffer: UnsafeMutableRawBufferPointer { core.value.readBuffer }
}
