/// Timers in a hierarchy of six wheels of 64 slots: scheduling, moving and cancelling are O(1).
///
/// Time is counted in ticks; the owner says how long one is. A timer stands in the wheel of the highest group of six
/// bits in which its tick differs from the present, so the first slot in use of the lowest wheel in use always holds
/// the soonest timer, and time may jump any distance at no cost. Timers fire in the order of their ticks, and those of
/// one tick in the order they were scheduled. (Varghese and Lauck 1987, scheme 7.)
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
    /// Six wheels of six bits: with 10 ms a tick, 21 years.
    private static var lastTick: UInt64 { (1 << 36) - 1 }

    private var entries: [Entry] = []
    private var free: Int32 = -1
    private var lists = [List](repeating: List(), count: 6 * 64)
    private var occupied = [UInt64](repeating: 0, count: 6)
    private var present: UInt64 = 0
    /// The soonest tick or one before it; exact when `soonestIsExact`.
    private var soonestBound: UInt64 = .max
    private var soonestIsExact = true

    /// How many timers wait.
    package private(set) var count = 0

    package init() {}

    /// Adds a timer. One for the past is due at once.
    package mutating func schedule(at tick: UInt64, _ payload: Payload) -> LoopTimer {
        let index = takeFree()
        entries[Int(index)].payload = payload
        insert(index, at: tick)
        count += 1
        return LoopTimer(index: index, generation: entries[Int(index)].generation)
    }

    /// Takes a timer away.
    /// - Returns: what it carried, or nil if it has fired or was cancelled.
    @discardableResult
    package mutating func cancel(_ timer: LoopTimer) -> Payload? {
        guard isWaiting(timer) else { return nil }
        remove(timer.index)
        return release(timer.index)
    }

    /// Gives a waiting timer another tick, behind those already scheduled for it.
    package mutating func move(_ timer: LoopTimer, to tick: UInt64) -> Bool {
        guard isWaiting(timer) else { return false }
        remove(timer.index)
        insert(timer.index, at: tick)
        return true
    }

    /// The tick of the next timer, exactly; nil if none waits.
    package mutating func soonest() -> UInt64? {
        guard count > 0 else { return nil }
        if !soonestIsExact {
            soonestBound = findSoonest()
            soonestIsExact = true
        }
        return soonestBound
    }

    /// Takes the next timer that is due at `tick`; nil where there is none, or no more.
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
            sink(level * 64 + slot)
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

// Which slot is next.
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

    private func findSoonest() -> UInt64 {
        guard let (level, slot) = firstInUse() else { return .max }
        var index = lists[level * 64 + slot].first
        if level == 0 { return entries[Int(index)].tick }
        var least = UInt64.max
        // Nothing is sooner than the bound, so a timer that meets it ends the search.
        while index >= 0, least > soonestBound {
            least = min(least, entries[Int(index)].tick)
            index = entries[Int(index)].next
        }
        return least
    }

    /// Moves every timer of a slot whose time has begun to the wheels below, in order.
    private mutating func sink(_ slot: Int) {
        while case let index = lists[slot].first, index >= 0 {
            let tick = entries[Int(index)].tick
            remove(index)
            insert(index, at: tick)
        }
    }
}

// The lists, and the entries that are free.
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
        if tick <= soonestBound {
            soonestBound = tick
            soonestIsExact = true
        }
    }

    private mutating func remove(_ index: Int32) {
        let (previous, next) = (entries[Int(index)].previous, entries[Int(index)].next)
        let slot = Int(entries[Int(index)].slot)
        if previous >= 0 { entries[Int(previous)].next = next } else { lists[slot].first = next }
        if next >= 0 { entries[Int(next)].previous = previous } else { lists[slot].last = previous }
        if lists[slot].first < 0 { occupied[slot / 64] &= ~(1 << UInt64(slot % 64)) }
        if entries[Int(index)].tick == soonestBound { soonestIsExact = false }
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
            soonestBound = .max
            soonestIsExact = true
        }
        return payload
    }
}
