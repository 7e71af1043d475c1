import JSON
import Testing

private enum Theme: String, JSONEncodable {
    case system
}

private struct Errand: JSONEncodable {
    let id: Int
    let due: String?

    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("due", ifPresent: due)
        }
    }
}

@Suite("Writing")
struct WriterTests {
    private func written(_ capacity: Int = 16, _ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(reservingCapacity: capacity)
        write(&json)
        #expect(json.count == json.bytes.count)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test("separates members and elements")
    func separates() {
        let text = written { json in
            json.object { json in
                json.member("a", array: { _ in })
                json.member("b", object: { _ in })
                json.member(
                    "c",
                    array: { json in
                        json.null()
                        json.object { $0.member("d", "e") }
                        json.array { json in
                            json.bool(true)
                            json.bool(false)
                        }
                        json.integer(1)
                        json.double(0.5)
                        json.raw(Array("[0]".utf8))
                        json.value("x")
                    })
                json.member(name: "f\"", 2)
                json.member("g", raw: "{\"h\":0}".utf8)
                json.name("i")
                json.string("j")
            }
        }
        #expect(
            text == #"{"a":[],"b":{},"c":[null,{"d":"e"},[true,false],1,0.5,[0],"x"],"f\"":2,"g":{"h":0},"i":"j"}"#)
    }

    @Test(
        "escapes only what is required",
        arguments: [
            ("", "\"\""),
            ("plain", "\"plain\""),
            ("a/b", "\"a/b\""),
            ("\"", #""\"""#),
            ("12345678\\", #""12345678\\""#),
            ("1234567\n8", #""1234567\n8""#),
            ("\u{8}\u{C}\r\t", #""\b\f\r\t""#),
            ("\u{0}\u{1F}x", #""\u0000\u001fx""#),
            ("\u{7F}é漢😀\u{2028}\u{2029}", "\"\u{7F}é漢😀\u{2028}\u{2029}\""),
            ("ééééééé\"éé", "\"ééééééé\\\"éé\""),
        ])
    func escapes(text: String, expected: String) throws {
        #expect(written { $0.string(text) } == expected)
        #expect(try JSONValue(parsing: expected) == .string(text))
    }

    @Test(
        "writes every integer",
        arguments: [0, 9, 10, 99, 100, 12_345, -1, -9, -10, -100, .max, .min, 1_000_000_000_000_000_000])
    func writesIntegers(value: Int) {
        #expect(written { $0.integer(value) } == String(value))
    }

    @Test(
        "writes the shortest number that parses to the same value",
        arguments: [
            (0.1, "0.1"), (-0.0, "-0.0"), (1, "1.0"), (1e21, "1e+21"), (.leastNonzeroMagnitude, "5e-324"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        ])
    func writesDoubles(value: Double, expected: String) throws {
        #expect(written { $0.double(value) } == expected)
        guard case .number(let number) = try JSONValue(parsing: expected) else {
            Issue.record("\(expected) is no number with a fraction or an exponent")
            return
        }
        #expect(number.double?.bitPattern == value.bitPattern)
    }

    @Test("encodes optionals, arrays and enums")
    func writesComposed() {
        #expect([1, nil].encoded() == Array("[1,null]".utf8))
        #expect(Theme.system.encoded() == Array("\"system\"".utf8))
        let errands = [Errand(id: 1, due: nil), Errand(id: 2, due: "2024-02-29")]
        #expect(written { $0.value(errands) } == #"[{"id":1},{"id":2,"due":"2024-02-29"}]"#)
        #expect(true.encoded() == Array("true".utf8))
    }

    @Test("grows from any capacity", arguments: [-1, 0, 1, 15, 16, 17, 100, 5000])
    func grows(capacity: Int) {
        let long = String(repeating: "x", count: 1000)
        let control = String(repeating: "\u{1}", count: 300)
        let text = written(capacity) { json in
            json.array { json in
                json.string(long)
                json.string(control)
                json.raw(Array("\"\(long)\"".utf8))
            }
        }
        let escaped = String(repeating: #"\u0001"#, count: 300)
        #expect(text == "[\"\(long)\",\"\(escaped)\",\"\(long)\"]")
    }

    @Test("writes names of one character")
    func writesShortNames() {
        #expect(written { json in json.object { $0.member("é", 1) } } == "{\"é\":1}")
    }
}

@Suite struct IndentedJSONTests {
    @Test func aListOfObjectsHasALineForEach() throws {
        let value = try JSONValue(parsing: #"{"a":[1,"b"],"c":[{"d":[]},[2]],"e":{},"f":null}"#)
        #expect(
            value.indented == """
                {
                  "a": [1, "b"],
                  "c": [
                    {
                      "d": []
                    },
                    [2]
                  ],
                  "e": {},
                  "f": null
                }
                """)
        #expect(try JSONValue(parsing: value.indented) == value)
    }
}
