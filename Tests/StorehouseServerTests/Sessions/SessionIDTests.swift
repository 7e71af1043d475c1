import StorehouseServer
import Testing

/// Ids: 128 bits as 22 characters, each id in one spelling only.
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
            ["A", "Q", "g", "w"].map { String((text + "AAAAAAAAAAAAAAAAAAAAA").prefix(21)) + $0 }
        }
        let sorted = near.compactMap { SessionID($0.utf8) }.sorted().map(\.description)
        #expect(sorted == near.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test func idsAreUnique() {
        #expect(Set((0..<1000).map { _ in SessionID.random() }).count == 1000)
    }

    @Test(arguments: [
        "AAAAAAAAAAAAAAAAAAAAAA", "_____________________w", "----------------------".dropLast() + "Q",
        "0123456789abcdefABCDEg", "ZZZZZZZZZZZZZZZZZZZZZA",
    ])
    func whatIsAnIdIsWrittenAsItWasRead(_ text: String) throws {
        #expect(try #require(SessionID(text.utf8)).description == text)
    }

    @Test(arguments: [
        "", "A", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAAA=",
        "AAAAAAAAAAAAAAAAAAAA+A", "AAAAAAAAAAAAAAAAAAAA/A", "AAAAAAAAAAAAAAAAAAAA A", "éAAAAAAAAAAAAAAAAAAAA",
    ])
    func whatIsNoIdOrAnotherSpellingIsRefused(_ text: String) {
        #expect(SessionID(text.utf8) == nil)
    }
}
