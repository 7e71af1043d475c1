import Locks
public import Stores

/// A clock that stands still until the test moves it.
///
/// Who sleeps is woken in the order of the moments, and of those with the same moment in the order of coming.
public final class TestClock: StoreClock {
    private struct Sleeper {
        let id: Int
        let moment: Int
        /// Resumed with whether the moment has come; false where the sleep was cancelled.
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Contents {
        var now: Int
        var lastID = 0
        /// In the order of waking.
        var sleepers: [Sleeper] = []
    }

    // Guards the time and who sleeps; nobody is resumed while it is held.
    private let contents: Locked<Contents>

    /// A clock that stands at `now`.
    ///
    /// - Parameter now: the time at first: milliseconds since 1970.
    public init(now: Int = 0) { contents = Locked(Contents(now: now)) }

    public func now() -> Int { contents.withLock { $0.now } }

    /// The moments for which somebody sleeps, the earliest first.
    public var sleepers: [Int] { contents.withLock { $0.sleepers.map(\.moment) } }

    /// Moves the time on by `duration`, in whole milliseconds, and wakes whose moment comes.
    public func advance(by duration: Duration) { advance(to: now() + Int(duration / .milliseconds(1))) }

    /// Moves the time on to `moment` and wakes whose moment comes; a moment that has passed changes nothing.
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
            // Asked inside the lock: who cancels after this finds the sleeper.
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
