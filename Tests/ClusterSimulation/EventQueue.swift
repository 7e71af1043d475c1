/// The same numbers for the same seed.
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

/// What is going to happen, in the order of time. Events of one time happen in the order in which they were added.
struct EventQueue {
    private struct Item {
        let time: Int
        let number: Int
        let event: Event

        func isBefore(_ other: Item) -> Bool { time != other.time ? time < other.time : number < other.number }
    }

    private var heap: [Item] = []
    private var count = 0

    mutating func add(_ event: Event, at time: Int) {
        count += 1
        insert(Item(time: time, number: count, event: event))
    }

    /// Puts an event off. It stays before those of the same time that were added after it.
    mutating func postpone(_ event: Event, _ number: Int, to time: Int) {
        insert(Item(time: time, number: number, event: event))
    }

    private mutating func insert(_ item: Item) {
        heap.append(item)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() -> (time: Int, number: Int, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.time, first.number, first.event) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            if least == parent { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.time, first.number, first.event)
    }
}
