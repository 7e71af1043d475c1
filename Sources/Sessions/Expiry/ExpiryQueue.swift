import Locks

/// Elements by the time at which they are due, in slots, so that taking the due ones costs nothing for the others.
package final class ExpiryQueue<Element: Hashable & Sendable>: Sendable {
    /// The width of a slot in milliseconds.
    package let granularity: Int
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
