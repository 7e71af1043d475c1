package import JSON
import Locks
package import StoreHosting

/// Remembers the ids of ended sessions, to tell them from ids that never existed.
///
/// An id is remembered for at least an hour. It is forgotten earlier only if as many sessions have ended after it as the
/// server may have at a time, the oldest first.
package final class SessionTombstones: Sendable {
    private static let lifetime = 3_600_000
    /// How many bytes the ids of the permits of one generation take at most.
    private static let maxPermitBytes = 32 << 20

    private struct Contents {
        /// Two generations: ids are added to the younger, and the older is forgotten as a whole.
        var young = Generation()
        var old = Generation()
        var youngSince = 0
        /// The sessions whose end is not durable yet.
        var ending: Set<SessionID> = []
    }

    private struct Generation {
        var ids: Set<SessionID> = []
        /// Of those that had one.
        var owners: [SessionID: Subject] = [:]
        /// Of those that had some, as long as there is room.
        var permits: [SessionID: FinalPermits] = [:]
        var permitBytes = 0

        mutating func add(_ permits: FinalPermits, of id: SessionID) {
            guard self.permits[id] == nil, permitBytes + permits.byteCount <= maxPermitBytes else { return }
            self.permits[id] = permits
            permitBytes += permits.byteCount
        }

        func lookup(_ id: SessionID) -> SessionRegistry.Lookup? {
            ids.contains(id) ? .ended(owner: owners[id]) : nil
        }
    }

    private let maxPerGeneration: Int
    // Guards both generations. Taken last.
    private let contents = Locked(Contents())

    /// - Parameter maxSessions: how many sessions there may be at a time. Up to twice as many ids are remembered.
    package init(maxSessions: Int) { maxPerGeneration = max(1, maxSessions) }

    /// The end of a session begins. ``add(_:now:owner:permits:)`` or ``cancel(_:)`` follows.
    package func begin(_ id: SessionID) { contents.withLock { _ = $0.ending.insert(id) } }

    /// The end of a session has failed.
    package func cancel(_ id: SessionID) { contents.withLock { _ = $0.ending.remove(id) } }

    /// Whether a session has begun to end, and the end is not durable yet.
    func isEnding(_ id: SessionID) -> Bool { contents.withLock { $0.ending.contains(id) } }

    /// - Parameter permits: those that were in force at the end; nil if there were none, or if they are not known.
    package func add(_ id: SessionID, now: Int, owner: Subject? = nil, permits: FinalPermits? = nil) {
        contents.withLock { contents in
            contents.ending.remove(id)
            if contents.young.ids.count >= maxPerGeneration || now - contents.youngSince > Self.lifetime {
                contents.old = contents.young
                contents.young = Generation()
                contents.youngSince = now
            }
            contents.young.ids.insert(id)
            if let owner { contents.young.owners[id] = owner }
            if let permits { contents.young.add(permits, of: id) }
        }
    }

    /// Nil if no session with this id has ended, as far as is remembered.
    package func lookup(_ id: SessionID) -> SessionRegistry.Lookup? {
        contents.withLock { $0.young.lookup(id) ?? $0.old.lookup(id) }
    }

    /// The permits of a session that were in force when it ended; nil if they are not known here.
    package func permits(of id: SessionID) -> FinalPermits? {
        contents.withLock { $0.young.permits[id] ?? $0.old.permits[id] }
    }
}
