import Sockets
import Testing

@Suite struct HandlerTableTests {
    @Test func anOutdatedTokenFindsNoHandler() {
        var table = HandlerTable<String>()
        let old = table.insert("old", for: 7)
        #expect(table.entry(for: old)?.handler == "old")
        let removed = table.remove(7)
        #expect(removed)
        #expect(table.entry(for: old)?.handler == nil)
        let new = table.insert("new", for: 7)
        #expect(table.entry(for: old)?.handler == nil)
        #expect(table.entry(for: new)?.handler == "new")
        #expect(table.token(for: 7) == new)
    }

    @Test func replacingMakesTheEarlierTokenStale() {
        var table = HandlerTable<String>()
        let old = table.insert("old", for: 3)
        let new = table.insert("new", for: 3)
        #expect(table.count == 1)
        #expect(table.entry(for: old)?.handler == nil)
        #expect(table.entry(for: new)?.handler == "new")
    }

    /// The slot of a closed descriptor serves another one, whose events the old token does not get.
    @Test func anotherDescriptorTakesAFreeSlot() {
        var table = HandlerTable<String>()
        let old = table.insert("old", for: 3)
        table.remove(3)
        let new = table.insert("new", for: 90)
        #expect(table.entry(for: old)?.handler == nil)
        #expect(table.entry(for: new)?.descriptor == 90)
        #expect(table.token(for: 3) == nil)
        #expect(table.token(for: 90) == new)
        #expect(table.count == 1)
    }

    @Test func unknownDescriptorsAreHarmless() {
        var table = HandlerTable<String>()
        let unknown = table.remove(5) || table.remove(-1)
        #expect(!unknown)
        #expect(table.token(for: 1 << 20) == nil)
        #expect(table.entry(for: .max)?.handler == nil)
    }

    @Test func removeAllReturnsAllHandlers() {
        var table = HandlerTable<String>()
        _ = table.insert("a", for: 1)
        _ = table.insert("b", for: 9)
        _ = table.insert("c", for: 4)
        table.remove(9)
        let all = table.removeAll().map { "\($0.descriptor)\($0.handler)" }
        #expect(all == ["1a", "4c"])
        #expect(table.count == 0)
    }
}
