import Sessions
import Testing

@Suite struct ExpiryQueueTests {
    private let ids = (0..<100).map { _ in SessionID.random() }

    @Test func returnsElementsWhoseSlotHasBegun() {
        let queue = ExpiryQueue<SessionID>(granularity: 10)
        for (index, id) in ids.enumerated() { queue.add(id, at: index) }
        #expect(Set(queue.due(49)) == Set(ids.prefix(50)))
        #expect(queue.due(49).isEmpty)
        #expect(Set(queue.due(1000)) == Set(ids.dropFirst(50)))
        #expect(queue.count == 0)
    }

    /// Otherwise sessions that are created and deleted all day would fill the memory until they are due.
    @Test func removedElementsTakeNoMemory() {
        let queue = ExpiryQueue<SessionID>(granularity: 10)
        for (index, id) in ids.enumerated() { queue.add(id, at: index) }
        for (index, id) in ids.enumerated() where index != 42 { queue.remove(id, at: index) }
        #expect(queue.count == 1)
        queue.remove(ids[42], at: 7000)
        #expect(queue.due(1000) == [ids[42]])
    }
}
