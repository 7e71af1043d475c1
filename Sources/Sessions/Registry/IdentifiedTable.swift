/// Objects by their ids: a hash table with open addressing and linear probing.
///
/// A dictionary would store each id a second time, in three times the memory for each slot.
package struct IdentifiedTable<Element: AnyObject & Identifiable> {
    /// A power of two, or empty. At least a quarter is free, so each search ends.
    private var slots: [Element?] = []
    package private(set) var count = 0

    package init() {}

    package var elements: [Element] { slots.compactMap(\.self) }

    package subscript(_ id: Element.ID) -> Element? {
        if slots.isEmpty { return nil }
        return slots[place(of: id)]
    }

    /// Inserts an object, in place of another one with its id.
    package mutating func insert(_ element: Element) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        let place = place(of: element.id)
        if slots[place] == nil { count += 1 }
        slots[place] = element
    }

    /// Removes an object.
    ///
    /// - Returns: whether it was there.
    package mutating func remove(_ element: Element) -> Bool {
        guard self[element.id] === element else { return false }
        var gap = place(of: element.id)
        slots[gap] = nil
        count -= 1
        // Elements behind the gap must be found without passing it, unless they would then be before their first slot.
        var next = slot(behind: gap)
        while let other = slots[next] {
            let distance = (next - firstSlot(of: other.id)) & (slots.count - 1)
            if distance >= (next - gap) & (slots.count - 1) {
                slots[gap] = other
                slots[next] = nil
                gap = next
            }
            next = slot(behind: next)
        }
        return true
    }

    /// The slot with the object of this id, or else the free one for it.
    private func place(of id: Element.ID) -> Int {
        var place = firstSlot(of: id)
        while let element = slots[place], element.id != id { place = slot(behind: place) }
        return place
    }

    private func firstSlot(of id: Element.ID) -> Int { id.hashValue & (slots.count - 1) }

    private func slot(behind slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    private mutating func grow() {
        let old = elements
        slots = Array(repeating: nil, count: max(4, slots.count * 2))
        for element in old { slots[place(of: element.id)] = element }
    }
}
