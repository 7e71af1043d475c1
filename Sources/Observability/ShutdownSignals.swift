import Locks
import Platform
import Synchronization

/// The signals that end the process: SIGTERM and SIGINT.
///
/// The first signal asks for a shutdown, and ``first()`` returns. The second ends the process at once with the status
/// 128 + signal, whatever its threads are doing. SIGHUP does nothing.
///
/// A handler writes to a pipe, and a thread of its own reads it. No thread's signal mask changes, except that this thread
/// blocks none of the three signals: they arrive even if every other thread blocks them. Neither a `DispatchSource` nor a
/// blocked mask with `sigwait` works here. Dispatch drops a signal that comes before its source is registered, and its
/// main thread waits in `sigsuspend` with an empty mask, so it takes signals that all other threads block.
///
/// Child processes start with the default actions, because the kernel resets handlers on `exec`.
package enum ShutdownSignals {
    private struct State {
        var hasArrived = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var deadline: Deadline?
    }

    private struct Deadline {
        var timeout: Duration
        var expired: @Sendable () -> Void
    }

    // Guards the tasks that wait for a signal, and the deadline of the drain.
    private static let state = Locked(State())

    /// From here on the signals ask for a shutdown. A second call has no effect.
    package static func install() {
        _ = installed
    }

    /// Waits for the first signal. Returns at once if it has arrived.
    package static func first() async {
        await withCheckedContinuation { continuation in
            let hasArrived = state.withLock { state in
                if !state.hasArrived { state.waiting.append(continuation) }
                return state.hasArrived
            }
            if hasArrived { continuation.resume() }
        }
    }

    /// Ends the process if it still runs `timeout` after the first signal.
    ///
    /// Call it before ``install()``, because a signal that comes earlier has no deadline. It does not depend on Dispatch or
    /// on Swift concurrency, whose threads may all be blocked.
    ///
    /// - Parameter expired: called on a thread of its own just before the process ends with status 0.
    package static func endProcess(after timeout: Duration, expired: @escaping @Sendable () -> Void) {
        state.withLock { $0.deadline = Deadline(timeout: timeout, expired: expired) }
    }

    /// Lets the process run on after the first signal.
    package static func keepProcess() {
        state.withLock { $0.deadline = nil }
    }

    /// True if the handlers are in place. Without a pipe or a thread the signals keep their default actions.
    private static let installed: Bool = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        signalPipe.store(ends[1], ordering: .releasing)
        let descriptor = ends[0]
        guard startThread({ wait(on: descriptor) }) else { return false }
        signalCount.store(0, ordering: .relaxed)
        handle(SIGTERM, with: requestShutdown)
        handle(SIGINT, with: requestShutdown)
        handle(SIGHUP) { _ in }
        return true
    }()

    private static func handle(_ number: Int32, with handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
        #else
            action.__sigaction_handler.sa_handler = handler
        #endif
        action.sa_flags = Int32(SA_RESTART)
        _ = sigaction(number, &action, nil)
    }

    private static func wait(on descriptor: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) < 0 && errno == EINTR {}
        let arrived = ContinuousClock.now
        let waiting = state.withLock { state in
            state.hasArrived = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
        enforceDeadline(since: arrived)
    }

    private static func enforceDeadline(since arrived: ContinuousClock.Instant) {
        guard let timeout = state.withLock({ $0.deadline?.timeout }) else { return }
        while case let rest = timeout - (ContinuousClock.now - arrived), rest > .zero {
            _ = poll(nil, 0, Int32(clamping: Int(rest / .milliseconds(1)) + 1))
        }
        guard let deadline = state.withLock({ $0.deadline }) else { return }
        deadline.expired()
        _exit(0)
    }
}

// The data of the signal handler. Both exist before it is installed, and it only reads and writes atomics.
private let signalPipe = Atomic<Int32>(-1)
private let signalCount = Atomic<Int>(0)

private let requestShutdown: @convention(c) (Int32) -> Void = { number in
    if signalCount.add(1, ordering: .relaxed).oldValue > 0 { _exit(128 + number) }
    let code = errno
    var byte: UInt8 = 0
    _ = write(signalPipe.load(ordering: .acquiring), &byte, 1)
    errno = code
}
