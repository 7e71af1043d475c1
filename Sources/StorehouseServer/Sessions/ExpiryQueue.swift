import Locks

/// Which sessions to look at when: each stands in one slot of time, so a look costs only those that may be due.
package final class ExpiryQueue: Sendable {
    /// The width of a slot in milliseconds.
    let granularity: Int
    // Guards the slots. Taken last.
    private let slots: Locked<[Int: [SessionID]]> = Locked([:])

    package init(granularity: Int) { self.granularity = granularity }

    package func add(_ id: SessionID, at moment: Int) {
        slots.withLock { $0[moment / granularity, default: []].append(id) }
    }

    /// Takes out all whose slot has begun.
    package func due(_ now: Int) -> [SessionID] {
        slots.withLock { slots in
            let past = slots.keys.filter { $0 <= now / granularity }
            return past.flatMap { slots.removeValue(forKey: $0) ?? [] }
        }
    }
}
