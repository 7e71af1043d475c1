import JSON
import Testing

@Suite("Schema")
struct SchemaTests {
    private static let lowercase = JSONSchema.Pattern("^[a-z]*$") { text in
        text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    private static let task = JSONSchema.object(
        [
            .required("title", .string(minLength: 1, maxLength: 5, counting: .characters)),
            .optional("due", .string(format: .date).nullable),
            .optional("tags", .array(of: .string(pattern: lowercase), minItems: 1, maxItems: 2)),
        ], maxProperties: 2)

    @Test(
        "is published with the keywords of JSON Schema",
        arguments: [
            (.integer(1...10).defaulting(to: 1), #"{"type":"integer","default":1,"minimum":1,"maximum":10}"#),
            (.integer(minimum: 0), #"{"type":"integer","minimum":0,"maximum":9223372036854775807}"#),
            (.boolean.described("D"), #"{"type":"boolean","description":"D"}"#),
            (.enumeration(["a", "b"]).nullable, #"{"type":["string","null"],"enum":["a","b",null]}"#),
            (.string(minLength: 1, maxLength: 256), #"{"type":"string","minLength":1,"maxLength":256}"#),
            (.object([]), #"{"type":"object","properties":{},"additionalProperties":false}"#),
            (.any, "{}"), (.any.described("D"), #"{"description":"D"}"#), (.any.nullable, "{}"),
            (.number(0.5...2).nullable, #"{"type":["number","null"],"minimum":0.5,"maximum":2.0}"#),
            (.number(), #"{"type":"number"}"#),
            (
                .dictionary(of: .boolean, maxProperties: 2),
                #"{"type":"object","additionalProperties":{"type":"boolean"},"maxProperties":2}"#
            ),
            (
                task,
                #"{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":5},"#
                    + #""due":{"type":["string","null"],"format":"date"},"#
                    + #""tags":{"type":"array","items":{"type":"string","pattern":"^[a-z]*$"},"#
                    + #""minItems":1,"maxItems":2}},"#
                    + #""required":["title"],"additionalProperties":false,"maxProperties":2}"#
            ),
        ] as [(JSONSchema, String)])
    func encodes(schema: JSONSchema, expected: String) {
        #expect(String(decoding: schema.encoded(), as: UTF8.self) == expected)
    }

    @Test(
        "accepts valid values",
        arguments: [
            (.integer(1...10), "1"), (.integer(1...10), "10.0"), (.integer(1...10), "1e1"), (.integer(), "-5"),
            (.boolean, "false"), (.boolean.nullable, "null"), (.enumeration(["a"]), "\"a\""),
            (.enumeration(["a"]).nullable, "null"), (.string(maxLength: 2), "\"👍👍\""),
            (.string(maxLength: 1, counting: .characters), "\"🇩🇪\""),
            (.string(maxLength: 2, counting: .characters), "\"👩‍👧\""), (.string(format: .date), "\"2024-02-29\""),
            (.string(format: .date), "\"2000-02-29\""), (.string(format: .date), "\"0000-12-31\""), (.object([]), "{}"),
            (.any, "null"), (.any, "[1]"), (.number(), "1"), (.number(), "-1.5e3"), (.number(0...1), "1.0"),
            (.number(minimum: 0).nullable, "null"), (.dictionary(of: .boolean), "{}"),
            (.dictionary(of: .boolean, minProperties: 1, maxProperties: 1), #"{"a":true}"#),
            (task, #"{"title":"é"}"#), (task, #"{"title":"12345","due":null}"#),
            (task, #"{"tags":["a",""],"title":"x"}"#),
        ] as [(JSONSchema, String)])
    func accepts(schema: JSONSchema, text: String) throws {
        #expect(try schema.validate(JSONValue(parsing: text)).isEmpty)
    }

    @Test(
        "reports violations with pointers",
        arguments: [
            (.integer(1...10), "0", "", "must be an integer from 1 to 10"),
            (.integer(1...10), "11", "", "must be an integer from 1 to 10"),
            (.integer(1...10), "1.5", "", "must be an integer from 1 to 10"),
            (.integer(1...10), "\"1\"", "", "must be an integer from 1 to 10"),
            (.integer(1...10).nullable, "true", "", "must be an integer from 1 to 10 or null"),
            (.integer(minimum: 1), "0", "", "must be an integer, 1 or more"),
            (.integer(maximum: 1), "2", "", "must be an integer, 1 or less"),
            (.integer(), "100000000000000000000", "", "must be an integer of 64 bits"),
            (.number(), "\"1\"", "", "must be a number"), (.number(), "1e400", "", "must be a number"),
            (.number(0...1), "1.5", "", "must be a number from 0.0 to 1.0"),
            (.number(minimum: 1).nullable, "0", "", "must be a number, 1.0 or more or null"),
            (.number(maximum: 1), "2", "", "must be a number, 1.0 or less"),
            (.dictionary(of: .boolean), "[]", "", "must be an object"),
            (.dictionary(of: .boolean), #"{"a":true,"b/":1}"#, "/b~1", "must be true or false"),
            (.dictionary(of: .boolean, maxProperties: 1), #"{"a":true,"b":1}"#, "", "must have at most 1 member"),
            (.boolean, "0", "", "must be true or false"),
            (.enumeration(["a", "b"]), "\"c\"", "", "must be one of a, b"),
            (.enumeration(["a", "b"]), "null", "", "must be one of a, b"),
            (.enumeration(["\u{E9}"]), "\"e\u{301}\"", "", "must be one of \u{E9}"),
            (.string(), "null", "", "must be a string"),
            (.string(minLength: 1), "\"\"", "", "must have at least 1 character"),
            (.string(maxLength: 1), "\"👩‍👧\"", "", "must have at most 1 character"),
            (
                .string(maxLength: 1, counting: .characters), "\"👩‍👧\"", "",
                "must have at most 1 character in at most 8 bytes of UTF-8"
            ),
            (.string(minLength: 2, maxLength: 2), "\"a\"", "", "must have exactly 2 characters"),
            (.array(of: .boolean), "{}", "", "must be an array"),
            (.array(of: .boolean), "[true,1]", "/1", "must be true or false"),
            (.object([]), "[]", "", "must be an object"),
            (.object([]), #"{"a/b":1}"#, "/a~1b", "is not known; no members are allowed"),
            (.object([.optional("a", .boolean)], minProperties: 1), "{}", "", "must have at least 1 member"),
            (task, "{}", "/title", "is required"),
            (task, #"{"title":"123456"}"#, "/title", "must have 1 to 5 characters"),
            (task, #"{"title":"a","Due":null}"#, "/Due", "is not known; known members: title, due, tags"),
            (task, #"{"title":"a","tags":[]}"#, "/tags", "must have 1 to 2 elements"),
            (task, #"{"title":"a","tags":["a","B"]}"#, "/tags/1", "must match ^[a-z]*$"),
            (
                .string(pattern: .init("^$", phrase: "nothing", matches: \.isEmpty)), "\"a\"", "", "must be nothing"
            ),
            (task, #"{"title":"a","due":null,"tags":["a"]}"#, "", "must have at most 2 members"),
        ] as [(JSONSchema, String, String, String)])
    func refuses(schema: JSONSchema, text: String, pointer: String, detail: String) throws {
        let base = try JSONPointer("/payload")
        let expected = try JSONSchema.Violation(pointer: JSONPointer("/payload" + pointer), detail: detail)
        #expect(try schema.validate(JSONValue(parsing: text), at: base) == [expected])
    }

    @Test(
        "knows the calendar",
        arguments: [
            "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-01-00", "2024-01-32", "2024-04-31",
            "2024-1-01",
            "2024-01-1", "2024/01/01", "20240101", "2024-01-01T", "", "２024-01-1", "+024-01-01", "2024-01-01 ",
        ])
    func rejectsInvalidDates(text: String) {
        let violations = JSONSchema.string(format: .date).validate(.string(text))
        #expect(violations.map(\.detail) == ["must be a day of the calendar, written YYYY-MM-DD"])
    }

    @Test("reports violations in order, up to a limit")
    func reportsInOrder() throws {
        let value = try JSONValue(parsing: #"{"x":1,"title":7,"due":"soon"}"#)
        #expect(Self.task.validate(value).map(\.pointer.description) == ["/title", "/due", "/x", ""])
        let many = JSONObject((0..<1000).map { ("n\($0)", .null) })
        #expect(JSONSchema.object([]).validate(.object(many)).count == 20)
        let elements = JSONValue.array(Array(repeating: .null, count: 1000))
        #expect(JSONSchema.array(of: .boolean).validate(elements).count == 20)
    }

    @Test("a violation is encoded for the problem document")
    func encodesViolation() {
        let violation = JSONSchema.Violation(pointer: JSONPointer(tokens: ["a"]), detail: "is required")
        #expect(violation.encoded() == Array(#"{"pointer":"/a","detail":"is required"}"#.utf8))
    }
}
