import JSON
import Testing

@Suite("Numbers")
struct NumberTests {
    @Test(
        "preserves the text of numbers that are not 64-bit integers",
        arguments: [
            ("1.0", 1), ("-1.50e+1", -15), ("1e2", 100), ("1E0", 1), ("0.0", 0), ("-0.0", 0), ("0e999999999999", 0),
            ("1.5", nil), ("1e-1", nil), ("10e-1", 1), ("100.00e-2", 1), ("105e-1", nil), ("1.05e1", nil),
            ("9223372036854775807.0", .max), ("-9223372036854775808.00", .min), ("-9.223372036854775808e18", .min),
            ("9223372036854775808", nil), ("18446744073709551617", nil), ("-9223372036854775809", nil),
            ("9223372036854775808.0", nil),
            ("1e18", 1_000_000_000_000_000_000), ("1e19", nil), ("100000000000000000000", nil),
            ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil), ("123456789012345678901234567890", nil),
            ("100000000000000000000000e-20", 1000), ("0.00000000000000000000000001e26", 1),
        ] as [(String, Int?)])
    func readsNumbers(text: String, integer: Int?) throws {
        guard case .number(let number) = try JSONValue(parsing: text) else {
            Issue.record("\(text) is an integer")
            return
        }
        #expect(number.text == text)
        #expect(number.exactInteger == integer)
        #expect(JSONValue.number(number).asInteger == integer)
        #expect(JSONValue.number(number).description == text)
    }

    @Test("exponents are combined with long texts")
    func combinesExponentWithLongText() throws {
        let zeros = String(repeating: "0", count: 10_000)
        #expect(try JSONValue(parsing: "0.\(zeros)7e10001").asInteger == 7)
        #expect(try JSONValue(parsing: "7\(zeros)e-10000").asInteger == 7)
        #expect(try JSONValue(parsing: "7\(zeros)").asInteger == nil)
    }

    @Test("converts to Double unless it overflows")
    func convertsToDouble() throws {
        let cases: [(String, Double?)] = [("1.5", 1.5), ("1e400", nil), ("-1e400", nil), ("1e-400", 0)]
        for (text, expected) in cases {
            guard case .number(let number) = try JSONValue(parsing: text) else { continue }
            #expect(number.double == expected)
        }
    }

    @Test("has no infinities and no NaN", arguments: [Double.infinity, -.infinity, .nan, .signalingNaN])
    func rejectsNonFiniteNumbers(value: Double) {
        #expect(JSONNumber(value) == nil)
        #expect(value.encoded() == Array("null".utf8))
    }
}
