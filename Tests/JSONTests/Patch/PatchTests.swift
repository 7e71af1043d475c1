import JSON
import Testing

@Suite("Patch")
struct PatchTests {
    @Test(
        "follows the examples of RFC 6902, appendix A",
        arguments: [
            (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"baz":"qux","foo":"bar"}"#),
            (
                #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
                #"{"foo":["bar","qux","baz"]}"#
            ),
            (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
            (#"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
            (
                #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
                #"{"baz":"boo","foo":"bar"}"#
            ),
            (
                #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
                #"{"foo":"bar","child":{"grandchild":{}}}"#
            ),
            (
                #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
                #"{"foo":"bar","baz":"qux"}"#
            ),
            (
                #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
                #"{"foo":["bar",["abc","def"]]}"#
            ),
            (
                #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
                #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
                #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
            ),
            (
                #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
                #"{"foo":["all","cows","eat","grass"]}"#
            ),
        ])
    func followsExamples(document: String, patch: String, result: String) throws {
        var value = try JSONValue(parsing: document)
        let patch = try JSONPatch(JSONValue(parsing: patch))
        try patch.apply(to: &value)
        #expect(try value == JSONValue(parsing: result))
    }

    @Test(
        "changes the whole document, ends of arrays, and existing values",
        arguments: [
            ("[1]", .replace(.root, 2), "2"), ("[1]", .add(.root, [:]), "{}"),
            ("[1]", .add(JSONPointer(tokens: ["1"]), 2), "[1,2]"), ("[]", .add(JSONPointer(tokens: ["-"]), 2), "[2]"),
            (#"{"a":1}"#, .add(JSONPointer(tokens: ["a"]), 2), #"{"a":2}"#),
            (#"{"a":1}"#, .replace(JSONPointer(tokens: ["a"]), nil), #"{"a":null}"#),
            (#"{"a":[{"b":1}]}"#, .replace(JSONPointer(tokens: ["a", "0", "b"]), 2), #"{"a":[{"b":2}]}"#),
            (#"{"":0}"#, .remove(JSONPointer(tokens: [""])), "{}"),
            (
                #"{"a":1,"b":2}"#, .move(from: JSONPointer(tokens: ["a"]), to: JSONPointer(tokens: ["b"])),
                #"{"b":1}"#
            ),
            (#"{"a":1}"#, .move(from: JSONPointer(tokens: ["a"]), to: JSONPointer(tokens: ["a"])), #"{"a":1}"#),
            (#"{"a":{"b":1}}"#, .move(from: JSONPointer(tokens: ["a", "b"]), to: .root), "1"),
            (
                "[1,2,3]", .move(from: JSONPointer(tokens: ["0"]), to: JSONPointer(tokens: ["-"])),
                "[2,3,1]"
            ),
        ] as [(String, JSONPatch.Operation, String)])
    func changes(document: String, operation: JSONPatch.Operation, result: String) throws {
        var value = try JSONValue(parsing: document)
        let patch = JSONPatch([operation])
        try patch.apply(to: &value)
        #expect(value.description == result)
        #expect(try JSONPatch(JSONValue(parsing: patch.encoded())) == patch)
    }

    @Test(
        "rejects missing targets and the removal of the document",
        arguments: [
            // RFC 6902, appendix A.12.
            (#"{"op":"add","path":"/none/b","value":1}"#, .noTarget),
            (#"{"op":"remove","path":"/none"}"#, .noTarget), (#"{"op":"remove","path":"/l/2"}"#, .noTarget),
            (#"{"op":"remove","path":"/l/-"}"#, .noTarget), (#"{"op":"remove","path":""}"#, .removesDocument),
            (#"{"op":"replace","path":"/none","value":1}"#, .noTarget),
            (#"{"op":"replace","path":"/l/-","value":1}"#, .noTarget),
            (#"{"op":"replace","path":"/l/2","value":1}"#, .noTarget),
            (#"{"op":"add","path":"/l/3","value":1}"#, .noTarget),
            (#"{"op":"add","path":"/l/00","value":1}"#, .noTarget),
            (#"{"op":"add","path":"/l/99999999999999999999","value":1}"#, .noTarget),
            (#"{"op":"add","path":"/l/x","value":1}"#, .noTarget),
            (#"{"op":"add","path":"/o/a/b","value":1}"#, .noTarget),
            (#"{"op":"move","from":"/none","path":"/o/b"}"#, .noTarget),
            (#"{"op":"move","from":"/o/a","path":"/none/b"}"#, .noTarget),
            (#"{"op":"move","from":"/o","path":"/o/b"}"#, .movesIntoItself),
            (#"{"op":"move","from":"","path":"/o/b"}"#, .movesIntoItself),
            (#"{"op":"move","from":"","path":""}"#, .removesDocument),
        ] as [(String, JSONPatchError.Kind)])
    func rejectsImpossibleOperations(operation: String, kind: JSONPatchError.Kind) throws {
        let before = try JSONValue(parsing: #"{"l":[1,2],"o":{"a":1}}"#)
        var value = before
        let patch = try JSONPatch(JSONValue(parsing: #"[{"op":"remove","path":"/l/0"},\#(operation)]"#))
        let error = #expect(throws: JSONPatchError.self) { try patch.apply(to: &value) }
        #expect(error == JSONPatchError(kind, operation: 1))
        #expect(value == before, "a patch that fails changes nothing")
    }

    @Test(
        "rejects malformed patches",
        arguments: [
            ("{}", .notAnArray, nil), ("null", .notAnArray, nil), ("[1]", .unknownOperation, 0),
            ("[{}]", .unknownOperation, 0), (#"[{"op":1,"path":""}]"#, .unknownOperation, 0),
            (#"[{"op":"Add","path":"","value":1}]"#, .unknownOperation, 0),
            (#"[{"op":"remove"}]"#, .missingMember("path"), 0),
            (#"[{"op":"remove","path":1}]"#, .missingMember("path"), 0),
            (#"[{"op":"add","path":""}]"#, .missingMember("value"), 0),
            (#"[{"op":"remove","path":"/a"},{"op":"add","path":""}]"#, .missingMember("value"), 1),
            (#"[{"op":"move","path":"/b"}]"#, .missingMember("from"), 0),
            (#"[{"op":"move","from":"a","path":"/b"}]"#, .malformedPointer(.missingLeadingSlash), 0),
            (#"[{"op":"copy","from":"/a","path":"/b"}]"#, .unknownOperation, 0),
            (#"[{"op":"test","path":"/a","value":1}]"#, .unknownOperation, 0),
            (#"[{"op":"remove","path":"a"}]"#, .malformedPointer(.missingLeadingSlash), 0),
            (#"[{"op":"remove","path":"/~"}]"#, .malformedPointer(.invalidEscape(offset: 1)), 0),
        ] as [(String, JSONPatchError.Kind, Int?)])
    func rejectsMalformedInput(text: String, kind: JSONPatchError.Kind, operation: Int?) throws {
        let value = try JSONValue(parsing: text)
        let error = #expect(throws: JSONPatchError.self) { try JSONPatch(value) }
        #expect(error == JSONPatchError(kind, operation: operation))
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test("limits the depth of the result")
    func limitsDepth() throws {
        let deep = try JSONValue(
            parsing: String(repeating: "[", count: 300) + String(repeating: "]", count: 300), maximumDepth: 300)
        let way = JSONPointer(tokens: Array(repeating: "0", count: 299))
        for operation in [
            JSONPatch.Operation.add(way.appending("0"), deep), .replace(way, deep),
        ] {
            var document = deep
            let error = #expect(throws: JSONPatchError.self) { try JSONPatch([operation]).apply(to: &document) }
            #expect(error == JSONPatchError(.tooDeep, operation: 0))
            #expect(document == deep, "a patch that fails changes nothing")
        }
    }
}
