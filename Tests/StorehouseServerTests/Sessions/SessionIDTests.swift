import StorehouseServer
import Testing

/// Ids: 128 bits as 22 characters, each id in one spelling only.
@Suite struct SessionIDTests {
    @Test func textAndBitsGoBackAndForth() throws {
        for _ in 0..<1000 {
            let id = SessionID.random()
            #expect(id.description.utf8.count == 22)
            #expect(SessionID(id.description.utf8) == id)
        }
    }

    @Test func idsAreNotGivenTwice() {
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
