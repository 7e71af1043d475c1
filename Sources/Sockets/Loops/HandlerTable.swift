/// The handler of each watched descriptor. Events for a closed descriptor never reach the next owner of its number.
///
/// Each registration gets a token of descriptor and generation, which its events carry. An event for a descriptor that
/// was closed in the meantime has an outdated token and finds no handler, even if the number is in use again.
package struct HandlerTable<Handler> {
    private struct Slot {
        var handler: Handler?
        var generation: UInt32 = 0
    }

    private var slots: [Slot] = []
    package private(set) var count = 0

    package init() {}

    /// Sets or replaces the handler of a descriptor.
    package mutating func insert(_ handler: Handler, for descriptor: Int32) -> UInt64 {
        let index = Int(descriptor)
        while slots.count <= index {
            slots.append(Slot())
        }
        if slots[index].handler == nil { count += 1 }
        slots[index].handler = handler
        slots[index].generation &+= 1
        return Self.token(descriptor, slots[index].generation)
    }

    /// Removes the handler of a descriptor.
    /// - Returns: false if there was none.
    @discardableResult
    package mutating func remove(_ descriptor: Int32) -> Bool {
        let index = Int(descriptor)
        guard slots.indices.contains(index), slots[index].handler != nil else { return false }
        slots[index].handler = nil
        count -= 1
        return true
    }

    /// The handler that the token was made for; nil if it was removed or replaced.
    package func handler(for token: UInt64) -> Handler? {
        let index = Int(Self.descriptor(of: token))
        guard slots.indices.contains(index), slots[index].generation == UInt32(token >> 32) else { return nil }
        return slots[index].handler
    }

    /// The token of a watched descriptor; nil if it is not watched.
    package func token(for descriptor: Int32) -> UInt64? {
        let index = Int(descriptor)
        guard slots.indices.contains(index), slots[index].handler != nil else { return nil }
        return Self.token(descriptor, slots[index].generation)
    }

    /// Removes and returns all handlers.
    package mutating func removeAll() -> [(descriptor: Int32, handler: Handler)] {
        defer {
            slots = []
            count = 0
        }
        return slots.enumerated().compactMap { index, slot in slot.handler.map { (Int32(index), $0) } }
    }

    package static func descriptor(of token: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: token)
    }

    private static func token(_ descriptor: Int32, _ generation: UInt32) -> UInt64 {
        UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }
}
