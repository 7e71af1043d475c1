import Locks

/// Waits that end when the right to wait is taken away.
final class PermitWaits: Sendable {
    private struct Contents {
        var last = 0
        var waits: [Int: @Sendable () -> Void] = [:]
    }

    // Guards the waits. Nothing is called while it is held.
    private let contents = Locked(Contents())

    /// - Parameter revoked: is called whenever permits of the session were revoked, perhaps not the one that counts for this wait.
    /// - Returns: the number of the wait.
    package func add(revoked: @escaping @Sendable () -> Void) -> Int {
        contents.withLock { contents in
            contents.last += 1
            contents.waits[contents.last] = revoked
            return contents.last
        }
    }

    package func remove(_ number: Int) {
        let removed = contents.withLock { $0.waits.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }

    /// Permits of the session were revoked.
    func endRevoked() {
        for revoked in contents.withLock({ Array($0.waits.values) }) { revoked() }
    }
}
