import Sessions
import Testing

/// Ids: 128 bits as 22 characters, or what clients make of 22 to 64 characters.
@Suite struct SessionIDTests {
    @Test func textAndBitsConvertBothWays() throws {
        for _ in 0..<1000 {
            let id = SessionID.random()
            #expect(id.description.utf8.count == 22)
            #expect(SessionID(id.description.utf8) == id)
        }
    }

    @Test func theOrderIsThatOfTheTexts() {
        let ids = (0..<200).map { _ in SessionID.random() }
        let texts = ids.map(\.description).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(ids.sorted().map(\.description) == texts)
        let near = ["", "-", "0", "A", "_", "a"].flatMap { text in
            ["A", "Q", "g", "w", "-", "B", "z", "A-", "A_zz", "R0"].map {
                String((text + "AAAAAAAAAAAAAAAAAAAAA").prefix(21)) + $0
            }
        }
        let sorted = near.compactMap { SessionID($0.utf8) }.sorted().map(\.description)
        #expect(sorted == near.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test func idsAreUnique() {
        #expect(Set((0..<1000).map { _ in SessionID.random() }).count == 1000)
    }

    @Test(arguments: [
        "AAAAAAAAAAAAAAAAAAAAAA", "_____________________w", "----------------------".dropLast() + "Q",
        "0123456789abcdefABCDEg", "ZZZZZZZZZZZZZZZZZZZZZA", "AAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAAA_",
        "AAAAAAAAAAAAAAAAAAAAAAA", "0f8fad5b-d9cb-469f-a165-70867728950e", "-----------------------",
        String(repeating: "_", count: 64),
    ])
    func whatIsAnIdIsWrittenAsItWasRead(_ text: String) throws {
        let id = try #require(SessionID(text.utf8))
        #expect(id.description == text)
        #expect(id == SessionID(text.utf8) && Set([id]).contains(id))
    }

    @Test func idsThatBeginAlikeDiffer() {
        let start = "AAAAAAAAAAAAAAAAAAAAA"
        let texts = ["A", "B", "AA", "AB", "AAA", "BA"].map { start + $0 }
        let ids = texts.compactMap { SessionID($0.utf8) }
        #expect(Set(ids).count == texts.count)
        #expect(Set(ids.map(\.hashValue)).count == texts.count)
        #expect(Set(ids.map(\.description)) == Set(texts))
    }

    @Test(arguments: [
        "", "A", "AAAAAAAAAAAAAAAAAAAAA", String(repeating: "A", count: 65), "AAAAAAAAAAAAAAAAAAAAA=",
        "0f8fad5b-d9cb-469f-a165-70867728950.",
        "AAAAAAAAAAAAAAAAAAAA+A", "AAAAAAAAAAAAAAAAAAAA/A", "AAAAAAAAAAAAAAAAAAAA A", "éAAAAAAAAAAAAAAAAAAAA",
    ])
    func whatIsNoIdIsRefused(_ text: String) {
        #expect(SessionID(text.utf8) == nil)
    }
}
