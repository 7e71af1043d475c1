import Locks

/// Lets so many in at a time, the first come first.
final class Gate: Sendable {
    private struct Contents {
        var places: Int
        var waiting: [@Sendable () -> Void] = []
    }

    // Guards the free places and the waiting tasks. No continuation is resumed while it is held.
    private let contents: Locked<Contents>

    init(places: Int) { contents = Locked(Contents(places: places)) }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isIn = contents.withLock { contents in
                if contents.places > 0 {
                    contents.places -= 1
                    return true
                }
                contents.waiting.append { continuation.resume() }
                return false
            }
            if isIn { continuation.resume() }
        }
    }

    /// Passes the place to the task that has waited longest.
    func leave() {
        let next: (@Sendable () -> Void)? = contents.withLock { contents in
            guard contents.waiting.isEmpty else { return contents.waiting.removeFirst() }
            contents.places += 1
            return nil
        }
        next?()
    }
}
