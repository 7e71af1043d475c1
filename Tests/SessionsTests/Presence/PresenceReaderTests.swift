import Sessions
import Testing

@Suite("A reader of presence")
struct PresenceReaderTests {
    @Test("takes the whole list first, then changes, and nothing that is older")
    func order() {
        var reader = PresenceReader()
        reader.begin(after: 4)
        #expect(!reader.isUpToDate)
        // These were made before the stream opened.
        #expect(reader.take(4, whole: "w4", change: "c4") == nil)
        #expect(reader.take(5, whole: nil, change: "c5") == nil)
        #expect(reader.take(6, whole: "w6", change: "c6") == "w6")
        #expect(reader.isUpToDate)
        #expect(reader.take(6, whole: "w6", change: "c6") == nil)
        #expect(reader.take(7, whole: "w7", change: "c7") == "c7")
        #expect(reader.take(8, whole: "w8", change: nil) == nil)
        #expect(reader.take(9, whole: nil, change: "c9") == "c9")
    }

    @Test("takes the whole list again if it has missed a change")
    func missed() {
        var reader = PresenceReader()
        reader.begin(after: 0)
        #expect(reader.take(1, whole: "w1", change: nil) == "w1")
        #expect(reader.take(2, whole: nil, change: "c2") == "c2")
        reader.miss()
        #expect(!reader.isUpToDate)
        #expect(reader.take(3, whole: nil, change: "c3") == nil)
        #expect(reader.take(4, whole: "w4", change: "c4") == "w4")
        #expect(reader.take(5, whole: nil, change: "c5") == "c5")
    }
}
