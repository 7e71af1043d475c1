import JSON
import Testing

@Suite("Parsing")
struct ParsingTests {
    @Test(
        "accepts what RFC 8259 allows",
        arguments: [
            ("null", .null),
            (" \t\r\n true \n", true),
            ("false", false),
            ("0", 0),
            ("-12", -12),
            ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)),
            ("\"\"", ""),
            (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"),
            (#""\u0041\u00e9\u6F22\uD83D\uDE00\u0000""#, "Aé漢😀\u{0}"),
            ("\"12345678é漢😀\u{2028}\u{7F}\"", "12345678é漢😀\u{2028}\u{7F}"),
            ("[]", []),
            ("[ 1 , [ ] , { } ]", [1, [], [:]]),
            ("{}", [:]),
            (#"{"type":"counter/increment","payload":{"by":1}}"#, ["type": "counter/increment", "payload": ["by": 1]]),
            (#"{"":1,"\u0061":2}"#, ["": 1, "a": 2]),
        ] as [(String, JSONValue)])
    func acceptsValid(text: String, expected: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == expected)
    }

    @Test(
        "reports errors with their offsets",
        arguments: [
            ("", .empty, 0),
            (" \n ", .empty, 3),
            ("\u{FEFF}{}", .byteOrderMark, 0),
            ("[1", .unexpectedEnd, 2),
            ("{\"a\"", .unexpectedEnd, 4),
            ("\"abc", .unexpectedEnd, 4),
            ("tru", .unexpectedEnd, 3),
            ("-", .unexpectedEnd, 1),
            ("1.", .unexpectedEnd, 2),
            ("1e+", .unexpectedEnd, 3),
            ("trux", .unexpectedByte(UInt8(ascii: "x")), 3),
            ("nan", .unexpectedByte(UInt8(ascii: "a")), 1),
            ("+1", .unexpectedByte(UInt8(ascii: "+")), 0),
            (".5", .unexpectedByte(UInt8(ascii: ".")), 0),
            ("'a'", .unexpectedByte(UInt8(ascii: "'")), 0),
            ("[1,]", .unexpectedByte(UInt8(ascii: "]")), 3),
            ("[1 2]", .unexpectedByte(UInt8(ascii: "2")), 3),
            ("[,1]", .unexpectedByte(UInt8(ascii: ",")), 1),
            ("{\"a\":1,}", .unexpectedByte(UInt8(ascii: "}")), 7),
            ("{a:1}", .unexpectedByte(UInt8(ascii: "a")), 1),
            ("{\"a\" 1}", .unexpectedByte(UInt8(ascii: "1")), 5),
            ("{\"a\":}", .unexpectedByte(UInt8(ascii: "}")), 5),
            ("[1}", .unexpectedByte(UInt8(ascii: "}")), 2),
            ("[\u{A0}1]", .unexpectedByte(0xC2), 1),
            ("01", .invalidNumber, 1),
            ("-01", .invalidNumber, 2),
            ("-a", .invalidNumber, 1),
            ("1.e5", .invalidNumber, 2),
            ("1ex", .invalidNumber, 2),
            ("\"a\nb\"", .controlCharacter, 2),
            ("\"12345678\u{0}\"", .controlCharacter, 9),
            (#""a\x""#, .invalidEscape, 2),
            (#""\u12G4""#, .invalidEscape, 1),
            (#""\uD800""#, .loneSurrogate, 1),
            (#""a\uDC00""#, .loneSurrogate, 2),
            (#""\uD800\uD800""#, .loneSurrogate, 1),
            (#""\uD800\n""#, .loneSurrogate, 1),
            (#""\uD83D"#, .loneSurrogate, 1),
            (#"{"a":1,"b":2,"\u0061":3}"#, .duplicateName, 13),
            ("{} x", .trailingBytes, 3),
            ("1 2", .trailingBytes, 2),
            ("1x", .trailingBytes, 1),
            ("null\u{0}", .trailingBytes, 4),
        ] as [(String, JSONSyntaxError.Kind, Int)])
    func rejectsInvalidText(text: String, kind: JSONSyntaxError.Kind, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(error?.kind == kind)
        #expect(error?.offset == offset)
        #expect(error?.description.hasSuffix(" at byte \(offset).") == true)
    }

    @Test(
        "rejects bytes that are not UTF-8",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0x80], [0xE2, 0x82],
            [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xF0, 0x9F, 0x98, 0x28],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func rejectsInvalidUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        for document in [[quote] + bytes + [quote], [quote] + bytes] {
            let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: document) }
            #expect(error == JSONSyntaxError(.invalidUTF8, at: 1))
        }
    }

    @Test("limits the depth, with a maximum that callers cannot raise", arguments: [(64, 64), (1, 1), (100_000, 512)])
    func limitsDepth(asked: Int, granted: Int) throws {
        for (opening, closing, middle) in [("[", "]", ""), ("{\"a\":", "}", "0")] {
            func nested(_ depth: Int) -> String {
                String(repeating: opening, count: depth) + middle + String(repeating: closing, count: depth)
            }
            #expect(throws: Never.self) { try JSONValue(parsing: nested(granted), maximumDepth: asked) }
            let error = #expect(throws: JSONSyntaxError.self) {
                try JSONValue(parsing: nested(granted + 1), maximumDepth: asked)
            }
            #expect(error == JSONSyntaxError(.tooDeep, at: granted * opening.utf8.count))
        }
    }

    @Test("a wide document is not a deep one")
    func countsDepthNotBreadth() throws {
        let text = "[" + Array(repeating: "[{}]", count: 1000).joined(separator: ",") + "]"
        #expect(try JSONValue(parsing: text, maximumDepth: 3).asArray?.count == 1000)
    }

    @Test("large objects and their duplicate names take linear time", .timeLimit(.minutes(5)))
    func readsLargeObjects() throws {
        let count = 50_000
        let members = (0..<count).map { "\"name\($0)\":\($0)" }.joined(separator: ",")
        let value = try JSONValue(parsing: "{\(members)}")
        #expect(value.asObject?.count == count)
        #expect(value["name49999"] == 49_999)
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: "{\(members),\"name7\":0}") }
        #expect(error == JSONSyntaxError(.duplicateName, at: members.utf8.count + 2))
    }

    @Test("canonically equivalent names are different")
    func namesAreCodePoints() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    @Test("describes unprintable bytes by their number")
    func describesBytes() {
        #expect(JSONSyntaxError(.unexpectedByte(0x0B), at: 4).description == "Unexpected byte 0x0b at byte 4.")
        #expect(JSONSyntaxError(.unexpectedByte(0x7D), at: 4).description == "Unexpected '}' at byte 4.")
    }
}
