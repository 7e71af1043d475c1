import Locks

/// Remembers the ids of sessions that ended, so that they are told from ids that never were.
///
/// An id is remembered for an hour at least, and more than a million of them at once: only where more sessions end
/// within the hour is the oldest forgotten early.
package final class SessionTombstones: Sendable {
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

/// What to look at when: each stands in one slot of time, so a look costs only those that may be due.
package final class ExpiryQueue<Element: Hashable & Sendable>: Sendable {
    /// The width of a slot in milliseconds.
    let granularity: Int
    // Guards the slots, none of which is empty. Taken last.
    private let slots: Locked<[Int: Set<Element>]> = Locked([:])

    package init(granularity: Int) { self.granularity = granularity }

    /// How many stand in it.
    package var count: Int { slots.withLock { slots in slots.values.reduce(0) { $0 + $1.count } } }

    package func add(_ element: Element, at moment: Int) {
        slots.withLock { _ = $0[moment / granularity, default: []].insert(element) }
    }

    /// Takes one out before its time, so that those who end early cost nothing until then.
    ///
    /// - Parameter moment: the one it was added with.
    package func remove(_ element: Element, at moment: Int) {
        let slot = moment / granularity
        slots.withLock { slots in
            slots[slot]?.remove(element)
            if slots[slot]?.isEmpty == true { slots[slot] = nil }
        }
    }

    /// Takes out all whose slot has begun.
    package func due(_ now: Int) -> [Element] {
        slots.withLock { slots in
            let past = slots.keys.filter { $0 <= now / granularity }
            return past.flatMap { slots.removeValue(forKey: $0) ?? [] }
        }
    }
}
