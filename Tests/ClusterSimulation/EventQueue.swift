/// A generator of random numbers that gives equal numbers for equal seeds.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(limit)) }

    mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    mutating func chance(_ perMille: Int) -> Bool { below(1000) < perMille }
}

/// The scheduled events, in the order of time. Events of one time happen in the order in which they were added.
struct EventQueue {
    /// The events stay where they are: only these small items are sorted.
    private struct Item {
        let time: Int
        let number: Int
        let slot: Int

        func isBefore(_ other: Item) -> Bool { time != other.time ? time < other.time : number < other.number }
    }

    private var heap: [Item] = []
    private var events: [Event?] = []
    private var freeSlots: [Int] = []
    private var count = 0

    mutating func add(_ event: Event, at time: Int) {
        count += 1
        insert(event, number: count, at: time)
    }

    /// Puts an event off. It stays before events of the same time that were added after it.
    mutating func postpone(_ event: Event, _ number: Int, to time: Int) { insert(event, number: number, at: time) }

    private mutating func insert(_ event: Event, number: Int, at time: Int) {
        let slot = freeSlots.popLast() ?? events.count
        if slot == events.count { events.append(event) } else { events[slot] = event }
        let item = Item(time: time, number: number, slot: slot)
        heap.append(item)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard item.isBefore(heap[parent]) else { break }
            heap[child] = heap[parent]
            child = parent
        }
        heap[child] = item
    }

    mutating func removeFirst() -> (time: Int, number: Int, event: Event)? {
        guard let first = heap.first, let last = heap.popLast(), let event = events[first.slot] else { return nil }
        events[first.slot] = nil
        freeSlots.append(first.slot)
        if !heap.isEmpty { sink(last) }
        return (first.time, first.number, event)
    }

    /// Puts an item where the first one was.
    private mutating func sink(_ item: Item) {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(item) else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = item
    }
}
