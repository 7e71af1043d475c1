import Locks

/// Lets so many tests in at a time, the first come first.
final class Gate: Sendable {
    /// Whether the task is behind the gate.
    @TaskLocal private static var isInside = false

    private struct Contents {
        var places: Int
        var waiting: [@Sendable () -> Void] = []
    }

    // Guards the free places and the waiting tasks. No continuation is resumed while it is held.
    private let contents: Locked<Contents>

    init(places: Int) { contents = Locked(Contents(places: places)) }

    /// Calls `body` behind the gate. A task that is there already needs no second place: tests that each have one and wait for
    /// another would wait for ever.
    func pass<Result>(_ body: () async throws -> Result) async throws -> Result {
        if Self.isInside { return try await body() }
        await enter()
        defer { leave() }
        return try await Self.$isInside.withValue(true) { try await body() }
    }

    private func enter() async {
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
    private func leave() {
        let next: (@Sendable () -> Void)? = contents.withLock { contents in
            guard contents.waiting.isEmpty else { return contents.waiting.removeFirst() }
            contents.places += 1
            return nil
        }
        next?()
    }
}
