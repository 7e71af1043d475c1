import JSON
import Testing

@Suite struct SubjectTests {
    @Test(arguments: [
        ("\u{e9}", "e\u{301}"), ("Kim", "\u{212a}im"), ("\u{c5}", "\u{212b}"), ("a", "A"), ("a", "a "), ("", "\u{0}"),
    ])
    func otherBytesAreAnotherSubject(one: String, other: String) {
        #expect(Subject(one) != Subject(other))
        #expect(Set([Subject(one), Subject(other)]).count == 2)
        #expect(JSONValue.string(one).asSubject == Subject(one))
        #expect(Subject(one).text.utf8.elementsEqual(one.utf8))
    }

    @Test func theSameBytesAreTheSameSubject() {
        let long = String(repeating: "\u{e9}", count: 40)
        #expect(Subject(long) == Subject(String(decoding: Array(long.utf8), as: UTF8.self)))
        #expect(JSONValue.integer(1).asSubject == nil)
    }
}
