import Journal
import Testing

@Suite("The time of a journal")
struct JournalTimeTests {
    /// Each read of a bare function in a `Locked` makes all later calls deeper, so that the last ones would overflow the stack.
    @Test("can be read as often as a server lives")
    func manyReads() {
        let time = JournalTime { 1 }
        var sum = 0
        for _ in 0..<1_000_000 { sum += time() }
        time.follow { 2 }
        #expect(sum == 1_000_000 && time() == 2)
    }
}
