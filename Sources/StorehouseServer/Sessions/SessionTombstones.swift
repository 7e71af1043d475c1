import Locks

/// Remembers the ids of ended sessions, to tell them from ids that never existed.
///
/// An id is remembered for at least an hour. The oldest ids are forgotten early only if more than a million sessions end
/// within an hour.
package final class SessionTombstones: Sendable {
    private static let lifetime = 3_600_000
    private static let maxPerGeneration = 1 << 20

    private struct Contents {
        /// Two generations: ids are added to the younger, and the older is forgotten as a whole.
        var young: Set<SessionID> = []
        var old: Set<SessionID> = []
        var youngSince = 0
    }

    // Guards both generations. Taken last.
    private let contents = Locked(Contents())

    package init() {}

    package func add(_ id: SessionID, now: Int) {
        contents.withLock { contents in
            if contents.young.count >= Self.maxPerGeneration || now - contents.youngSince > Self.lifetime {
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
