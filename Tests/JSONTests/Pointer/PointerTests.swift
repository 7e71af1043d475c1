import JSON
import Testing

@Suite("Pointer")
struct PointerTests {
    /// The document of RFC 6901 section 5.
    private let document = #"""
        {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}
        """#

    @Test(
        "follows the examples of RFC 6901",
        arguments: [
            ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
            ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
        ] as [(String, JSONValue)])
    func followsExamples(text: String, expected: JSONValue) throws {
        let pointer = try JSONPointer(text)
        #expect(pointer.description == text)
        try expect(pointer, in: document, is: expected)
    }

    @Test("the empty pointer is the whole document")
    func pointsAtRoot() throws {
        let pointer = try JSONPointer("")
        #expect(pointer == .root)
        #expect(pointer.description == "")
        try expect(pointer, in: document, is: JSONValue(parsing: document))
        #expect(pointer.range(in: Array(" [1] ".utf8)) == 1..<4)
    }

    @Test(
        "finds no value",
        arguments: [
            "/nothing", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/-1", "/foo/ 1", "/foo/1 ", "/foo/",
            "/foo/0x1", "/foo/１", "/foo/1e0", "/foo/18446744073709551616", "/foo/9223372036854775807", "/foo/bar",
            "/foo/0/0", "//0", "/foo/0/", "/Foo", "/ /",
        ])
    func findsNoValue(text: String) throws {
        try expect(JSONPointer(text), in: document, is: nil)
    }

    @Test("skips white space, empty containers and escapes")
    func skipsAnything() throws {
        let text =
            "{ \"x\" : [ ] , \"y\" : { } , \"z}\\\"\" : \"]\\\\\" , \"\\u0061\\n\" : [ { } , -1.5e3 , \"{\" , true ] }"
        try expect(JSONPointer(tokens: ["a\n", "1"]), in: text, is: JSONValue(parsing: "-1.5e3"))
        try expect(JSONPointer(tokens: ["a\n", "2"]), in: text, is: "{")
        try expect(JSONPointer(tokens: ["a\n", "3"]), in: text, is: true)
        try expect(JSONPointer(tokens: ["a\n", "4"]), in: text, is: nil)
        try expect(JSONPointer(tokens: ["x", "0"]), in: text, is: nil)
        try expect(JSONPointer(tokens: ["y", "0"]), in: text, is: nil)
        try expect(JSONPointer(tokens: ["z}\""]), in: text, is: "]\\")
    }

    @Test(
        "rejects malformed pointers",
        arguments: [
            ("foo", .missingLeadingSlash), (" /foo", .missingLeadingSlash), ("#/foo", .missingLeadingSlash),
            ("/~", .invalidEscape(offset: 1)), ("/a~2", .invalidEscape(offset: 2)),
            ("/a/b~", .invalidEscape(offset: 4)),
            ("/~~0", .invalidEscape(offset: 1)), ("/~/", .invalidEscape(offset: 1)),
        ] as [(String, JSONPointerError)])
    func rejectsMalformedInput(text: String, expected: JSONPointerError) {
        let error = #expect(throws: JSONPointerError.self) { try JSONPointer(text) }
        #expect(error == expected)
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test("unescapes in the right order")
    func unescapes() throws {
        #expect(try JSONPointer("/~01/~10/~0~1").tokens == ["~1", "/0", "~/"])
        #expect(try JSONPointer("/a//").tokens == ["a", "", ""])
        #expect(JSONPointer.root.appending("a/b").appending(3).description == "/a~1b/3")
        #expect(JSONPointer.root.appending("x").encoded() == Array("\"/x\"".utf8))
    }

    @Test("pointers are compared by code point")
    func comparesCodePoints() throws {
        #expect(try JSONPointer("/\u{E9}") != JSONPointer("/e\u{301}"))
        #expect(
            Set([JSONPointer(tokens: ["a", "b"]), JSONPointer(tokens: ["ab"]), JSONPointer(tokens: ["a", "b"])]).count
                == 2)
        try expect(JSONPointer("/e\u{301}"), in: "{\"\u{E9}\":1,\"e\u{301}\":2}", is: 2)
    }

    /// Compares lookups in the value and in the bytes.
    private func expect(_ pointer: JSONPointer, in text: String, is expected: JSONValue?) throws {
        #expect(try pointer.value(in: JSONValue(parsing: text)) == expected)
        let bytes = Array(text.utf8)
        let found = try pointer.range(in: bytes).map { try JSONValue(parsing: Array(bytes[$0])) }
        #expect(found == expected)
    }
}
