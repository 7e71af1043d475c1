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

/// Elements by the time at which they are due, in slots, so that taking the due ones costs nothing for the others.
package final class ExpiryQueue<Element: Hashable & Sendable>: Sendable {
    /// The width of a slot in milliseconds.
    let granularity: Int
    // Guards the slots, none of which is empty. Taken last.
    private let slots: Locked<[Int: Set<Element>]> = Locked([:])

    package init(granularity: Int) { self.granularity = granularity }

    package var count: Int { slots.withLock { slots in slots.values.reduce(0) { $0 + $1.count } } }

    package func add(_ element: Element, at moment: Int) {
        slots.withLock { _ = $0[moment / granularity, default: []].insert(element) }
    }

    /// Removes an element early, so that it takes no memory until its time.
    ///
    /// - Parameter moment: the time it was added with.
    package func remove(_ element: Element, at moment: Int) {
        let slot = moment / granularity
        slots.withLock { slots in
            slots[slot]?.remove(element)
            if slots[slot]?.isEmpty == true { slots[slot] = nil }
        }
    }

    /// Some elements of the first slot, at most `limit`.
    package func earliest(limit: Int) -> [Element] {
        slots.withLock { slots in
            slots.keys.min().flatMap { slots[$0] }.map { Array($0.prefix(limit)) } ?? []
        }
    }

    /// Removes and returns all elements whose slot has begun.
    package func due(_ now: Int) -> [Element] {
        slots.withLock { slots in
            let past = slots.keys.filter { $0 <= now / granularity }
            return past.flatMap { slots.removeValue(forKey: $0) ?? [] }
        }
    }
}
