import Dispatch

/// The dispatch sources of one loop.
final class SourceTable {
    let timer: any DispatchSourceTimer
    /// Held by every descriptor that is still open.
    let open = DispatchGroup()
    private(set) var isClosed = false
    private var watched: [Int32: WatchedDescriptor] = [:]
    private var alarm: UInt64?

    init(timer: any DispatchSourceTimer) {
        self.timer = timer
    }

    subscript(descriptor: Int32) -> WatchedDescriptor? {
        watched[descriptor]
    }

    func insert(_ new: WatchedDescriptor, for descriptor: Int32) {
        watched.updateValue(new, forKey: descriptor)?.cancel()
    }

    func remove(_ descriptor: Int32) {
        watched.removeValue(forKey: descriptor)?.cancel()
    }

    /// Sets the timer to go off this long after `now`; nil for never.
    func setTimer(_ nanoseconds: UInt64?, now: LoopInstant) {
        let due = nanoseconds.map { now.nanoseconds + $0 }
        guard due != alarm else { return }
        alarm = due
        let deadline = nanoseconds.map { DispatchTime.now() + .nanoseconds(Int(clamping: $0)) }
        timer.schedule(deadline: deadline ?? .distantFuture, leeway: .milliseconds(1))
    }

    func cancelAll() {
        isClosed = true
        timer.cancel()
        for descriptor in watched.values {
            descriptor.cancel()
        }
        watched = [:]
    }
}
