import CommandLine
import JSON
import Testing

@Suite struct ActionMemberTests {
    private static let schema: JSONValue = [
        "type": "object",
        "properties": [
            "by": ["type": "integer"], "price": ["type": "number"], "title": ["type": "string"],
            "note": ["type": ["string", "null"]], "done": ["type": "boolean"],
            "color": ["type": "string", "enum": ["red", "1"]], "tags": ["type": "array", "items": ["type": "string"]],
            "place": ["type": "object", "properties": ["x": ["type": "integer"]], "additionalProperties": false],
            "labels": ["type": "object", "additionalProperties": ["type": "string"]], "any": [:],
        ],
    ]

    private static let meanings: [(word: String, value: JSONValue)] = [
        ("by=2", 2), ("by=two", "two"), ("by=", ""), ("by=\"2\"", "\"2\""), ("by=null", "null"),
        ("price=1.5", 1.5), ("price=1", 1), ("price=true", "true"),
        ("title=2", "2"), ("title=true", "true"), ("title=null", "null"), ("title=a=b", "a=b"), ("title={}", "{}"),
        ("note=null", nil), ("note=2", "2"), ("done=true", true), ("done=yes", "yes"), ("color=1", "1"),
        ("tags=[\"a\"]", ["a"]), ("tags=a", "a"), ("place={\"x\":1}", ["x": 1]), ("labels={\"a\":\"b\"}", ["a": "b"]),
        ("any=2", 2), ("any=a", "a"), ("any=null", nil), ("unknown=2", "2"),
        ("title:=2", 2), ("by:=\"2\"", "2"), ("unknown:=[1]", [1]),
    ]

    @Test(arguments: meanings)
    func theSchemaDecidesWhatATextMeans(meaning: (word: String, value: JSONValue)) throws {
        let member = try ActionMember(meaning.word)
        #expect(ActionMember.payload([member], schema: Self.schema) == [member.name: meaning.value])
    }

    @Test func withoutASchemaTextsStayTexts() throws {
        let members = [try ActionMember("by=2"), try ActionMember("a:=true")]
        #expect(ActionMember.payload(members, schema: nil) == ["by": "2", "a": true])
    }

    @Test(arguments: ["", "by", "=2", "a:={", "a:="])
    func anythingElseIsRefused(word: String) {
        #expect(throws: UsageError.self) { try ActionMember(word) }
    }

    @Test func aValueComesFromAFile() throws {
        let input = CommandInput(
            isTerminal: true,
            contents: { path in Array((path == "json" ? "[1]\n" : "s3cr3t\r\n").utf8) },
            secret: { prompt in prompt == "a: " ? "typed" : nil })
        let words = ["a=@text", "a:=@json", "a=@-", "a=@@text", "a=@", "a:=\"@text\""]
        let values: [JSONValue] = ["s3cr3t", [1], "typed", "@text", "@", "@text"]
        for (word, value) in zip(words, values) {
            #expect(ActionMember.payload([try ActionMember(word).read(input)], schema: nil) == ["a": value])
        }
        #expect(throws: CommandFailure.self) { try ActionMember("a:=@text").read(input) }
        #expect(throws: CommandFailure.self) { try ActionMember("b=@-").read(input) }
        let pipe = CommandInput(contents: { path in path == "-" ? Array("piped\n\n".utf8) : [0xFF] })
        #expect(try ActionMember("a=@-").read(pipe) == .text(name: "a", "piped\n"))
        #expect(throws: CommandFailure.self) { try ActionMember("a=@text").read(pipe) }
    }

    @Test func aColonAloneIsAName() throws {
        #expect(try ActionMember(":=1") == .text(name: ":", "1"))
    }
}

@Suite struct ProblemTextTests {
    @Test(arguments: [
        (
            #"{"title":"No","status":422,"detail":"Two faults.","code":"invalid-payload","errors":[{"pointer":"/payload/a","detail":"must be b"},{"pointer":"/payload/c","detail":"is required"}]}"#,
            "No (422 invalid-payload): Two faults.\n  /payload/a: must be b\n  /payload/c: is required"
        ),
        (
            #"{"title":"No","detail":"/payload/a must be b.","code":"x","errors":[{"pointer":"/payload/a","detail":"must be b"}]}"#,
            "No (422 x): /payload/a must be b."
        ),
        (
            #"{"code":"unknown-action","nearest":["a/b","a/c"]}"#,
            "the request was refused (422 unknown-action)\nDid you mean a/b or a/c?"
        ),
        (
            #"{"title":"No","code":"action-rejected","index":1}"#, "No (422 action-rejected, action 2 of the batch)"
        ),
        (#"{"code":"a\u001b[2J"}"#, #"the request was refused (422 a\u{1b}[2J)"#),
        ("<html>", "the server answered with the status 422"),
        (#"{"error":"x"}"#, "the server answered with the status 422"),
    ])
    func aProblemIsReadable(body: String, text: String) {
        #expect(ProblemText.text(status: 422, body: Array(body.utf8)) == text)
    }
}
