import Locks

/// Remembers the ids of sessions that ended, so that they are told from ids that never were.
///
/// An id is remembered for an hour at least, and more than a million of them at once: only where more sessions end
/// within the hour is the oldest forgotten early.
package final class EndedSessions: Sendable {
    private static let memory = 3_600_000
    private static let most = 1 << 20

    private struct Contents {
        /// Two generations: the younger takes what ends, the older is forgotten whole.
        var young: Set<SessionID> = []
        var old: Set<SessionID> = []
        var youngSince = 0
    }

    // Guards both generations. Taken last.
    private let contents = Locked(Contents())

    package init() {}

    package func add(_ id: SessionID, now: Int) {
        contents.withLock { contents in
            if contents.young.count >= Self.most || now - contents.youngSince > Self.memory {
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
