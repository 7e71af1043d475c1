/// A hierarchical timing wheel (Varghese and Lauck 1987, scheme 7): scheduling, moving and cancelling are O(1).
///
/// Time is counted in ticks, whose length the owner defines. There are six wheels of 64 slots. A timer is in the wheel
/// of the highest group of six bits in which its tick differs from the current tick. So the first occupied slot of the
/// lowest occupied wheel contains the next timer, and time may advance any distance at no cost. Timers fire in the
/// order of their ticks, and timers of the same tick in the order they were scheduled.
package struct TimerWheel<Payload> {
    private struct Entry {
        var payload: Payload?
        var tick: UInt64
        var generation: UInt32
        var slot: Int32
        var previous: Int32
        var next: Int32
    }

    private struct List {
        var first: Int32 = -1
        var last: Int32 = -1
    }

    private static var levels: Int { 6 }
    /// Six wheels of six bits: 21 years at 10 ms per tick.
    private static var lastTick: UInt64 { (1 << 36) - 1 }

    private var entries: [Entry] = []
    private var free: Int32 = -1
    private var lists = [List](repeating: List(), count: 6 * 64)
    private var occupied = [UInt64](repeating: 0, count: 6)
    private var present: UInt64 = 0
    /// The next timer's tick, or a lower bound of it if `nextTickIsExact` is false.
    private var nextTickBound: UInt64 = .max
    private var nextTickIsExact = true

    /// The number of waiting timers.
    package private(set) var count = 0

    package init() {}

    /// Adds a timer. It is due at once if the tick has passed.
    package mutating func schedule(at tick: UInt64, _ payload: Payload) -> LoopTimer {
        let index = takeFree()
        entries[Int(index)].payload = payload
        insert(index, at: tick)
        count += 1
        return LoopTimer(index: index, generation: entries[Int(index)].generation)
    }

    /// Removes a timer.
    /// - Returns: its payload; nil if it has fired or was cancelled.
    @discardableResult
    package mutating func cancel(_ timer: LoopTimer) -> Payload? {
        guard isWaiting(timer) else { return nil }
        remove(timer.index)
        return release(timer.index)
    }

    /// Reschedules a waiting timer, after the timers that are already scheduled for the tick.
    package mutating func move(_ timer: LoopTimer, to tick: UInt64) -> Bool {
        guard isWaiting(timer) else { return false }
        remove(timer.index)
        insert(timer.index, at: tick)
        return true
    }

    /// The tick of the next timer; nil if there is none.
    package mutating func nextTick() -> UInt64? {
        guard count > 0 else { return nil }
        if !nextTickIsExact {
            nextTickBound = findNextTick()
            nextTickIsExact = true
        }
        return nextTickBound
    }

    /// Removes the next timer that is due at `tick` and returns its payload; nil if none is due.
    package mutating func popDue(at tick: UInt64) -> Payload? {
        while let (level, slot) = firstInUse() {
            let start = startOfSlot(level, slot)
            guard start <= tick else { break }
            present = max(present, start)
            let first = lists[level * 64 + slot].first
            if level == 0 {
                remove(first)
                return release(first)
            }
            cascade(level * 64 + slot)
        }
        present = max(present, tick)
        return nil
    }

    private func isWaiting(_ timer: LoopTimer) -> Bool {
        let index = Int(timer.index)
        return entries.indices.contains(index) && entries[index].generation == timer.generation
            && entries[index].slot >= 0
    }
}

// Finding the next slot.
extension TimerWheel {
    private func firstInUse() -> (level: Int, slot: Int)? {
        for level in 0..<Self.levels where occupied[level] != 0 {
            return (level, occupied[level].trailingZeroBitCount)
        }
        return nil
    }

    private func startOfSlot(_ level: Int, _ slot: Int) -> UInt64 {
        let above = UInt64(6 * (level + 1))
        return (present >> above) << above | UInt64(slot) << UInt64(6 * level)
    }

    private func findNextTick() -> UInt64 {
        guard let (level, slot) = firstInUse() else { return .max }
        var index = lists[level * 64 + slot].first
        if level == 0 { return entries[Int(index)].tick }
        var earliest = UInt64.max
        // No timer is earlier than the bound, so a timer at the bound ends the search.
        while index >= 0, earliest > nextTickBound {
            earliest = min(earliest, entries[Int(index)].tick)
            index = entries[Int(index)].next
        }
        return earliest
    }

    /// Moves the timers of a slot whose time has come to lower wheels, in order.
    private mutating func cascade(_ slot: Int) {
        while case let index = lists[slot].first, index >= 0 {
            let tick = entries[Int(index)].tick
            remove(index)
            insert(index, at: tick)
        }
    }
}

// Linked lists of entries.
extension TimerWheel {
    private mutating func insert(_ index: Int32, at wanted: UInt64) {
        let tick = min(max(wanted, present), Self.lastTick)
        let level = (63 - ((tick ^ present) | 63).leadingZeroBitCount) / 6
        let bit = Int(tick >> UInt64(6 * level) & 63)
        let slot = level * 64 + bit
        let last = lists[slot].last
        entries[Int(index)].tick = tick
        entries[Int(index)].slot = Int32(slot)
        entries[Int(index)].previous = last
        entries[Int(index)].next = -1
        if last >= 0 { entries[Int(last)].next = index } else { lists[slot].first = index }
        lists[slot].last = index
        occupied[level] |= 1 << UInt64(bit)
        if tick <= nextTickBound {
            nextTickBound = tick
            nextTickIsExact = true
        }
    }

    private mutating func remove(_ index: Int32) {
        let (previous, next) = (entries[Int(index)].previous, entries[Int(index)].next)
        let slot = Int(entries[Int(index)].slot)
        if previous >= 0 { entries[Int(previous)].next = next } else { lists[slot].first = next }
        if next >= 0 { entries[Int(next)].previous = previous } else { lists[slot].last = previous }
        if lists[slot].first < 0 { occupied[slot / 64] &= ~(1 << UInt64(slot % 64)) }
        if entries[Int(index)].tick == nextTickBound { nextTickIsExact = false }
    }

    private mutating func takeFree() -> Int32 {
        guard free >= 0 else {
            entries.append(Entry(payload: nil, tick: 0, generation: 0, slot: -1, previous: -1, next: -1))
            return Int32(entries.count - 1)
        }
        let index = free
        free = entries[Int(index)].next
        return index
    }

    private mutating func release(_ index: Int32) -> Payload? {
        let payload = entries[Int(index)].payload
        entries[Int(index)].payload = nil
        entries[Int(index)].slot = -1
        entries[Int(index)].generation &+= 1
        entries[Int(index)].next = free
        free = index
        count -= 1
        if count == 0 {
            nextTickBound = .max
            nextTickIsExact = true
        }
        return payload
    }
}
