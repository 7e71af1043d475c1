import Sockets
import Testing

@Suite struct HandlerTableTests {
    @Test func anOutdatedTokenFindsNoHandler() {
        var table = HandlerTable<String>()
        let old = table.insert("old", for: 7)
        #expect(table.handler(for: old) == "old")
        let removed = table.remove(7)
        #expect(removed)
        #expect(table.handler(for: old) == nil)
        let new = table.insert("new", for: 7)
        #expect(table.handler(for: old) == nil)
        #expect(table.handler(for: new) == "new")
        #expect(table.token(for: 7) == new)
    }

    @Test func replacingMakesTheEarlierTokenStale() {
        var table = HandlerTable<String>()
        let old = table.insert("old", for: 3)
        let new = table.insert("new", for: 3)
        #expect(table.count == 1)
        #expect(table.handler(for: old) == nil)
        #expect(table.handler(for: new) == "new")
    }

    @Test func unknownDescriptorsAreHarmless() {
        var table = HandlerTable<String>()
        let unknown = table.remove(5) || table.remove(-1)
        #expect(!unknown)
        #expect(table.token(for: 1 << 20) == nil)
        #expect(table.handler(for: .max) == nil)
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
