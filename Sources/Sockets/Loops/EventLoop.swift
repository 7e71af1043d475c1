/// One thread of control that waits for descriptors, timers and jobs from other threads.
///
/// Everything that happens on a loop happens one after the other. One turn is: wait; tell handlers what is ready; run
/// the timers that are due, those of a crowd in several turns; run the jobs that were there when the wait ended, in
/// the order they came; run what was put off with ``afterwards(_:)``. A loop lives until it is stopped, whether or not
/// anyone refers to it.
///
/// `execute`, `stop` and `isCurrent` may be used from any thread; everything else traps off the loop.
package protocol EventLoop: AnyObject, Sendable {
    /// Where the loop stands: tells whether the caller runs on it.
    var anchor: LoopThread { get }

    /// Runs a job on the loop, in the order of calls, and never before this call returns. From any thread.
    ///
    /// A sleeping loop is woken once for all that arrives before it is awake; a loop that is awake is not woken.
    /// - Returns: false if the loop has ended; the job is dropped.
    @discardableResult
    func execute(_ job: @escaping @Sendable () -> Void) -> Bool

    /// Ends the loop after the turn it is in, from any thread. Every watched handler is told (channels and listeners
    /// close), jobs already accepted still run, timers are dropped. `stopped` is called when all of it is done and
    /// every descriptor of the loop is closed; at once if that is long ago.
    func stop(_ stopped: @escaping @Sendable () -> Void)

    /// Starts to tell `handler` what happens to `descriptor`. The descriptor stays the caller's.
    ///
    /// A descriptor that is already watched changes hands. Nothing that was found before this call is told to the new
    /// handler, also when the number was closed and given out again in the meantime.
    func watch(_ descriptor: Int32, _ interest: Interest, _ handler: any ReadinessHandler) throws(SocketError)

    /// Changes what is told about a watched descriptor; an empty interest keeps it watched for failures only.
    func update(_ descriptor: Int32, _ interest: Interest)

    /// Stops telling. Nothing more arrives, not even what is already found in this turn. Unknown descriptors are fine.
    func unwatch(_ descriptor: Int32)

    /// Runs a job once, never earlier than asked, and at most about 20 ms later on an idle loop. O(1).
    func schedule(after delay: Duration, _ job: @escaping () -> Void) -> LoopTimer

    /// Moves a timer that has not fired to `delay` from now, without a new allocation. O(1).
    /// - Returns: false if it has fired or was cancelled.
    @discardableResult
    func reschedule(_ timer: LoopTimer, after delay: Duration) -> Bool

    /// Forgets a timer and its job; one that has fired is fine. O(1).
    func cancel(_ timer: LoopTimer)

    /// Runs a job at the end of this turn; one that is put off while such jobs run waits for the end of the next.
    func afterwards(_ job: @escaping () -> Void)

    /// The moment this turn began: the monotonic clock, read once a turn.
    var now: LoopInstant { get }

    /// One buffer for all reads of the loop. What it holds is gone when the caller returns.
    var readBuffer: UnsafeMutableRawBufferPointer { get }
}

extension EventLoop {
    /// Whether the caller runs on this loop.
    package var isCurrent: Bool { anchor.isCurrent }

    /// Ends the loop and waits until every descriptor of it is closed.
    package func stop() async {
        await withCheckedContinuation { continuation in
            stop { continuation.resume() }
        }
    }
}

/// What a handler wants to hear of about a descriptor.
package struct Interest: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There are bytes, a connection or an end to read.
    package static let readable = Interest(rawValue: 1)
    /// There is room to write.
    package static let writable = Interest(rawValue: 2)
}

/// What a loop found about a descriptor.
package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
    /// An error waits on the descriptor, or both directions have ended. `epoll` tells it whatever the interest is;
    /// a dispatch source tells it as the readiness that was asked for.
    package static let failed = Readiness(rawValue: 4)
}

/// Someone who waits for a descriptor on an event loop. The loop keeps it alive while it watches.
package protocol ReadinessHandler: AnyObject {
    /// The descriptor is ready. The loop is level-triggered: what is left undone is told again.
    func ready(_ descriptor: Int32, _ readiness: Readiness)

    /// The loop ends, and no longer watches the descriptor; its owner closes it now.
    func loopStopped(_ descriptor: Int32)
}

/// Names one scheduled job. It stays harmless after the timer has fired or its place was reused.
package struct LoopTimer: Hashable, Sendable {
    let index: Int32
    let generation: UInt32
}

/// Carries a value that belongs to an event loop through code that runs elsewhere.
///
/// The value is reached only on its loop: ``value`` traps anywhere else. The last reference may be dropped on any
/// thread, so a bound value must not need its loop to be deinitialized.
package struct LoopBound<Value>: @unchecked Sendable {
    // Sendable although the value need not be: it came from one owner, and only the loop can reach it.
    private let bound: Value
    private let anchor: LoopThread

    /// Hands a value over to the loop, from anywhere.
    package init(handing value: sending Value, to anchor: LoopThread) {
        bound = value
        self.anchor = anchor
    }

    /// Binds a value that already lives on the loop. Traps off the loop.
    package init(_ value: Value, on loop: any EventLoop) {
        precondition(loop.isCurrent, "a value is bound to a loop on that loop, or handed over")
        bound = value
        anchor = loop.anchor
    }

    /// The value. Traps off the loop.
    package var value: Value {
        precondition(anchor.isCurrent, "a loop's value was touched off its loop")
        return bound
    }
}
