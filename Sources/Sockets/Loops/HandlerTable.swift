/// The handler of each watched descriptor. Events for a closed descriptor never reach the next owner of its number.
///
/// Each registration gets a token of a slot and its generation, which its events carry. An event for a descriptor that was
/// closed in the meantime has an outdated token and finds no handler, even if the number or the slot is in use again.
package struct HandlerTable<Handler> {
    private struct Slot {
        var handler: Handler?
        var generation: UInt32 = 0
        var descriptor: Int32 = -1
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int32] = []
    /// The slot of each descriptor; -1 for none. A loop watches a part of the process's descriptors, so it has fewer slots.
    private var slotIndices: [Int32] = []
    package private(set) var count = 0

    package init() {}

    /// Sets or replaces the handler of a descriptor.
    package mutating func insert(_ handler: Handler, for descriptor: Int32) -> UInt64 {
        let index = slotIndex(of: descriptor) ?? takeSlot(for: descriptor)
        slots[index].handler = handler
        slots[index].generation &+= 1
        return token(ofSlot: index)
    }

    /// Removes the handler of a descriptor.
    /// - Returns: false if there was none.
    @discardableResult
    package mutating func remove(_ descriptor: Int32) -> Bool {
        guard let index = slotIndex(of: descriptor) else { return false }
        slots[index].handler = nil
        slotIndices[Int(descriptor)] = -1
        freeSlots.append(Int32(index))
        count -= 1
        return true
    }

    /// The handler that the token was made for, and its descriptor; nil if it was removed or replaced.
    package func entry(for token: UInt64) -> (handler: Handler, descriptor: Int32)? {
        let index = Int(UInt32(truncatingIfNeeded: token))
        guard index < slots.count, slots[index].generation == UInt32(token >> 32), let handler = slots[index].handler
        else { return nil }
        return (handler, slots[index].descriptor)
    }

    /// The token of a watched descriptor; nil if it is not watched.
    package func token(for descriptor: Int32) -> UInt64? { slotIndex(of: descriptor).map(token) }

    /// Removes and returns all handlers.
    package mutating func removeAll() -> [(descriptor: Int32, handler: Handler)] {
        defer { self = HandlerTable() }
        return slotIndices.compactMap { index in
            index < 0 ? nil : slots[Int(index)].handler.map { (slots[Int(index)].descriptor, $0) }
        }
    }

    private func slotIndex(of descriptor: Int32) -> Int? {
        let index = Int(descriptor)
        guard slotIndices.indices.contains(index), slotIndices[index] >= 0 else { return nil }
        return Int(slotIndices[index])
    }

    private mutating func takeSlot(for descriptor: Int32) -> Int {
        while slotIndices.count <= Int(descriptor) { slotIndices.append(-1) }
        if freeSlots.isEmpty {
            freeSlots.append(Int32(slots.count))
            slots.append(Slot())
        }
        let index = freeSlots.removeLast()
        slotIndices[Int(descriptor)] = index
        slots[Int(index)].descriptor = descriptor
        count += 1
        return Int(index)
    }

    private func token(ofSlot index: Int) -> UInt64 { UInt64(slots[index].generation) << 32 | UInt64(index) }
}
