import Locks

/// Waits that end when the right to wait is taken away.
final class PermitWaits: Sendable {
    private struct Contents {
        var last = 0
        var waits: [Int: any PermitWait] = [:]
    }

    // Guards the waits. Nothing is called while it is held.
    private let contents = Locked(Contents())

    /// - Returns: the number of the wait.
    package func add(_ wait: any PermitWait) -> Int {
        contents.withLock { contents in
            contents.last += 1
            contents.waits[contents.last] = wait
            return contents.last
        }
    }

    package func remove(_ number: Int) {
        let removed = contents.withLock { $0.waits.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }

    /// Permits of the session were revoked.
    func endRevoked() {
        for wait in contents.withLock({ Array($0.waits.values) }) { wait.permitsWereRevoked() }
    }
}

/// A wait that needs a permit.
package protocol PermitWait: AnyObject, Sendable {
    /// Permits of the session were revoked, perhaps not the one that counts for this wait.
    func permitsWereRevoked()
}
