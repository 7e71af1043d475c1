import StoreHosting
import Testing

@Suite("The result of an action")
struct DispatchResultTests {
    @Test("has its outcome in one word, since each layer copies it")
    func size() {
        #expect(MemoryLayout<DispatchResult.Outcome>.size <= MemoryLayout<Int>.size)
    }
}
