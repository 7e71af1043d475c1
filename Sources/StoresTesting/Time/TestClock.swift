import Locks
public import Stores

/// A clock that the test moves.
///
/// Sleeping tasks wake in the order of their times. Tasks with the same time wake in the order in which they went to sleep.
public final class TestClock: StoreClock {
    private struct Sleeper {
        let id: Int
        let moment: Int
        /// Resumed with true when the time has come, and with false when the sleep is cancelled.
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Contents {
        var now: Int
        var lastID = 0
        /// In the order in which they wake.
        var sleepers: [Sleeper] = []
    }

    // Guards the time and the sleepers. Nothing is resumed while it is held.
    private let contents: Locked<Contents>

    /// A clock that shows `now`.
    ///
    /// - Parameter now: the initial time in milliseconds since 1970.
    public init(now: Int = 0) { contents = Locked(Contents(now: now)) }

    public func now() -> Int { contents.withLock { $0.now } }

    /// The times until which tasks sleep, the earliest first.
    package var sleepers: [Int] { contents.withLock { $0.sleepers.map(\.moment) } }

    /// Advances the time by `duration`, in whole milliseconds, and wakes the tasks whose time has come.
    public func advance(by duration: Duration) { advance(to: now() + Int(duration / .milliseconds(1))) }

    /// Advances the time to `moment` and wakes the tasks whose time has come. A time in the past changes nothing.
    public func advance(to moment: Int) {
        let woken: [Sleeper] = contents.withLock { contents in
            contents.now = max(contents.now, moment)
            let due = contents.sleepers.prefix { $0.moment <= contents.now }
            contents.sleepers.removeFirst(due.count)
            return Array(due)
        }
        for sleeper in woken { sleeper.continuation.resume(returning: true) }
    }

    public func sleep(until moment: Int) async throws(CancellationError) {
        let id: Int = contents.withLock { contents in
            contents.lastID += 1
            return contents.lastID
        }
        let hasCome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(Sleeper(id: id, moment: moment, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
        guard hasCome else { throw CancellationError() }
    }

    private func begin(_ sleeper: Sleeper) {
        let hasCome: Bool? = contents.withLock { contents in
            // Checked under the lock: a later cancellation finds the sleeper in the list.
            if Task.isCancelled { return false }
            if sleeper.moment <= contents.now { return true }
            let place = contents.sleepers.firstIndex { $0.moment > sleeper.moment } ?? contents.sleepers.endIndex
            contents.sleepers.insert(sleeper, at: place)
            return nil
        }
        if let hasCome { sleeper.continuation.resume(returning: hasCome) }
    }

    private func cancel(_ id: Int) {
        let cancelled: Sleeper? = contents.withLock { contents in
            contents.sleepers.firstIndex { $0.id == id }.map { contents.sleepers.remove(at: $0) }
        }
        cancelled?.continuation.resume(returning: false)
    }
}
