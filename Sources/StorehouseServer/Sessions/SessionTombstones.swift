import Locks

/// Remembers the ids of ended sessions, to tell them from ids that never existed.
///
/// An id is remembered for at least an hour. It is forgotten earlier only if as many sessions have ended after it as the
/// server may have at a time, the oldest first.
package final class SessionTombstones: Sendable {
    private static let lifetime = 3_600_000

    private struct Contents {
        /// Two generations: ids are added to the younger, and the older is forgotten as a whole.
        var young: Set<SessionID> = []
        var old: Set<SessionID> = []
        var youngSince = 0
    }

    private let maxPerGeneration: Int
    // Guards both generations. Taken last.
    private let contents = Locked(Contents())

    /// - Parameter maxSessions: how many sessions there may be at a time. Up to twice as many ids are remembered.
    package init(maxSessions: Int) { maxPerGeneration = max(1, maxSessions) }

    package func add(_ id: SessionID, now: Int) {
        contents.withLock { contents in
            if contents.young.count >= maxPerGeneration || now - contents.youngSince > Self.lifetime {
                contents.old = contents.young
                contents.young = []
                contents.youngSince = now
            }
            contents.young.insert(id)
        }
    }

    package func contains(_ id: SessionID) -> Bool {
        contents.withLock { $0.young.contains(id) || $0.old.contains(id) }
    }
}
