import JSON
import Testing

/// Documents about which parsers disagree: each is parsed as RFC 8259 specifies, or rejected at the right offset.
@Suite("Strictness")
struct StrictnessTests {
    @Test(
        "accepts the whole grammar",
        arguments: [
            // Numbers (section 6).
            ("-9223372036854775808", "-9223372036854775808"), ("9223372036854775808", "9223372036854775808"),
            ("18446744073709551615", "18446744073709551615"), ("-0", "-0"), ("-0.0", "-0.0"), ("0e+1", "0e+1"),
            ("1E400", "1E400"), ("1e-400", "1e-400"), ("123.456e789", "123.456e789"), ("0.000", "0.000"),
            ("1e00000000000000000001", "1e00000000000000000001"),
            // Strings (section 7).
            (#""\u0000\u001f\u007f""#, "\"\\u0000\\u001f\u{7F}\""), (#""\/\u002F\u005C\u0022""#, #""//\\\"""#),
            (#""\uDBFF\uDFFF\uD800\uDC00""#, "\"\u{10FFFF}\u{10000}\""),
            (#""\uFFFE\uFFFF\uFEFF""#, "\"\u{FFFE}\u{FFFF}\u{FEFF}\""),
            ("\"\u{7F}\u{80}\u{2028}\u{FFFF}\u{10FFFF}\"", "\"\u{7F}\u{80}\u{2028}\u{FFFF}\u{10FFFF}\""),
            (#""\\u0041\\""#, #""\\u0041\\""#), ("\"//\u{2F}* no comment */\"", "\"//\u{2F}* no comment */\""),
            // Structure (sections 2 to 5).
            ("\t\n\r [\t\n\r ]\t\n\r ", "[]"), ("{\"\":{\"\":{}}}", "{\"\":{\"\":{}}}"),
            (#"{"a":1,"A":2,"a ":3,"a\u0000":4}"#, #"{"a":1,"A":2,"a ":3,"a\u0000":4}"#),
            ("[[[[null]],true],false]", "[[[[null]],true],false]"), ("\"\"", "\"\""),
        ])
    func takes(text: String, written: String) throws {
        #expect(try JSONValue(parsing: text).description == written)
    }

    @Test(
        "rejects what other parsers accept",
        arguments: [
            // Numbers (section 6).
            ("-", 1), ("--1", 1), ("-+1", 1), ("+0", 0), ("00", 1), ("-00", 2), ("01.5", 1), ("0x1", 1), ("1_000", 1),
            ("1.", 2), ("1.e1", 2), ("-.5", 1), (".5", 0), ("1e", 2), ("1e-", 3), ("1e+-1", 3), ("1e1.5", 3),
            ("1E+ 1", 3),
            ("1 000", 2), ("1,5", 1), ("Infinity", 0), ("-Infinity", 1), ("NaN", 0), ("1f", 1), ("1L", 1), ("0b1", 1),
            ("1e1e1", 3), ("1.2.3", 3), ("\u{FF11}", 0), ("\u{661}", 0), ("$1", 0), ("0 1", 2), ("[-]", 2), ("[1.]", 3),
            // Literals (section 3).
            ("True", 0), ("TRUE", 0), ("truE", 3), ("truetrue", 4), ("nul", 3), ("nulL", 3), ("None", 0),
            ("undefined", 0), ("fals", 4), ("[tru]", 4),
            // White space and what is none (section 2).
            ("\u{B}1", 0), ("\u{C}1", 0), ("1\u{C}", 1), ("\u{85}1", 0), ("\u{2028}1", 0), ("\u{FEFF}1", 0),
            ("1\u{FEFF}", 1),
            ("\u{0}1", 0), ("1\u{0}", 1), ("[\u{0}]", 1), ("//c\n1", 0), ("/*c*/1", 0), ("1//c", 1), ("#c\n1", 0),
            // Arrays and objects (sections 4 and 5).
            ("[", 1), ("]", 0), ("[1,", 3), ("[,]", 1), ("[1,,2]", 3), ("[1;2]", 2), ("[1:2]", 2), ("[1]]", 3),
            ("(1)", 0), ("[1)", 2), ("{", 1), ("}", 0), ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":1", 6),
            ("{\"a\":1,", 7),
            ("{,}", 1), ("{\"a\"}", 4), ("{\"a\":1,,\"b\":2}", 7), ("{\"a\",\"b\"}", 4), ("{\"a\"=1}", 4),
            ("{\"a\"::1}", 5),
            ("{1:1}", 1), ("{null:1}", 1), ("{'a':1}", 1), ("{\"a\":1 \"b\":2}", 7), ("{[]:1}", 1), ("{}{}", 2),
            ("{\"a\":1}}", 7), ("{\"a\":1;}", 6), ("{...}", 1), ("*", 0), ("<null>", 0), ("[\"a\",\n4\n,1,", 11),
            // Strings (section 7).
            ("\"", 1), ("\"a", 2), ("\"\\", 2), ("\"\\\"", 3), ("\"a\tb\"", 2), ("\"\u{1F}\"", 1), ("\"\r\n\"", 1),
            ("'a'", 0), ("`a`", 0), ("a", 0), ("\"a\"b", 3), (#""\a""#, 1), (#""\0""#, 1), (#""\x41""#, 1),
            (#""\'""#, 1),
            (#""\U0041""#, 1), (#""\u""#, 1), (#""\u004""#, 1), (#""\u00 4""#, 1), (#""\u+041""#, 1), (#""\u{41}""#, 1),
            ("\"\\\u{0}\"", 1), ("\"\\é\"", 1), ("\\u0041", 0), (#"[\u0020"a"]"#, 1),
            (#""\uD800""#, 1), (#""\uDC00\uD800""#, 1), (#""\uD800\u0041""#, 1), (#""\uD800\uDBFF""#, 1),
            (#""\uD800\\uDC00""#, 1), (#""\ud800\x""#, 1), (#""ab\uD8"#, 7), (#""ab\uD834\uDd"#, 13), (#""\uD834\"#, 1),
        ])
    func refuses(text: String, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(error?.offset == offset, "\(error?.description ?? "")")
    }

    @Test(
        "rejects other encodings than UTF-8, in names and strings",
        arguments: [
            // Other encodings of [1], and of ["é"].
            ([0xFE, 0xFF, 0, 0x5B, 0, 0x31, 0, 0x5D], 0), ([0x5B, 0, 0x31, 0, 0x5D, 0], 1), ([0, 0x5B, 0, 0x31], 0),
            ([0xFF, 0xFE, 0x5B, 0], 0), ([0x5B, 0x22, 0xE9, 0x22, 0x5D], 2), ([0xEF, 0xBB, 0xBF], 0),
            ([0xEF, 0xBB], 0),
            // Overlong, a surrogate, beyond the last code point, cut off, a tail alone; after 16 bytes of ASCII too.
            ([0x22, 0xC0, 0xAF, 0x22], 1), ([0x22, 0xE0, 0x80, 0xAF, 0x22], 1),
            ([0x22, 0xF0, 0x80, 0x80, 0xAF, 0x22], 1),
            ([0x22, 0xC1, 0xBF, 0x22], 1), ([0x22, 0xED, 0xBF, 0xBF, 0x22], 1),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
            ([0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22], 1), ([0x22, 0xFC, 0x84, 0x80, 0x80, 0x80, 0x80, 0x22], 1),
            ([0x22, 0xF0, 0x9F, 0x98, 0x22], 1), ([0x22, 0xE6, 0xBC], 1), ([0x22, 0x61, 0x80, 0x22], 2),
            (Array(repeating: 0x20, count: 3) + [0x22] + Array(repeating: 0x61, count: 16) + [0xC3, 0x22], 20),
            ([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], 2), ([0x22, 0x5C, 0xC3, 0xA9, 0x22], 1),
            ([0x22, 0x5C, 0x6E, 0xC3, 0x28, 0x22], 3),
        ] as [([UInt8], Int)])
    func rejectsOtherEncodings(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: bytes) }
        #expect(error?.offset == offset, "\(error?.description ?? "")")
    }

    @Test("scalars of all lengths pass, at the ends of every run of continuation bytes")
    func acceptsEveryScalar() throws {
        let edges = stride(from: UInt32(0x40), through: 0x110000, by: 64).flatMap { [$0 - 1, $0] }
        let text = String(String.UnicodeScalarView(edges.compactMap(Unicode.Scalar.init)))
        #expect(text.unicodeScalars.count > 30_000)
        #expect(try JSONValue(parsing: "\"\(text)\"") == .string(text))
    }

    @Test("agrees with the standard library about UTF-8")
    func agreesOnUTF8() {
        let tails: [UInt8] = [0x00, 0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        for lead in UInt8(0x80)...0xFF {
            for (second, rest) in tails.flatMap({ tail in [UInt8(0x61), 0x80, 0xBF].map { (tail, $0) } }) {
                for bytes in [[lead, second], [lead, second, rest], [lead, second, rest, rest]] {
                    let parsed = try? JSONValue(parsing: [0x22] + bytes + [0x22])
                    let isPlain = !bytes.contains { $0 < 0x20 || $0 == 0x22 }
                    let text = isPlain ? String(validating: bytes, as: UTF8.self) : nil
                    if parsed != text.map(JSONValue.string) { Issue.record("\(bytes)") }
                }
            }
        }
    }

    @Test(
        "rejects duplicate names in any spelling",
        arguments: [
            (#"{"a":1,"a":1}"#, 7), (#"{"a":1,"\u0061":1}"#, 7), (#"{"\u0061":1,"a":1}"#, 12), (#"{"":1,"":2}"#, 6),
            (#"{"/":1,"\/":2}"#, 7), (#"{"😀":1,"\uD83D\uDE00":2}"#, 10), (#"{"\n":1,"\u000A":2}"#, 8),
            (#"[{"a":1},{"a":{"b":1,"c":2,"b":3}}]"#, 27),
            ("{\((0..<17).map { "\"n\($0)\":0," }.joined())\"\\u006e3\":1}", 127),
        ])
    func rejectsDuplicateNames(text: String, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(error == JSONSyntaxError(.duplicateName, at: offset))
    }
}
