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
                #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
                #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
                #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
            ),
            (
                #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
                #"{"foo":["all","cows","eat","grass"]}"#
            ),
            (
                #"{"baz":"qux","foo":["a",2,"c"]}"#,
                #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
                #"{"baz":"qux","foo":["a",2,"c"]}"#
            ),
            (
                #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
                #"{"foo":"bar","child":{"grandchild":{}}}"#
            ),
            (
                #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
                #"{"foo":"bar","baz":"qux"}"#
            ),
            (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
            (
                #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
                #"{"foo":["bar",["abc","def"]]}"#
            ),
        ])
    func followsExamples(document: String, patch: String, result: String) throws {
        var value = try JSONValue(parsing: document)
        let patch = try JSONPatch(JSONValue(parsing: patch))
        try patch.apply(to: &value)
        #expect(try value == JSONValue(parsing: result))
    }

    @Test(
        "works on the whole document, at the end of arrays, and on what was there",
        arguments: [
            ("[1]", .replace(.root, 2), "2"), ("[1]", .add(.root, [:]), "{}"), ("7", .test(.root, 7), "7"),
            ("[1]", .add(JSONPointer(tokens: ["1"]), 2), "[1,2]"), ("[]", .add(JSONPointer(tokens: ["-"]), 2), "[2]"),
            ("[1,2]", .copy(from: .root, to: JSONPointer(tokens: ["0"])), "[[1,2],1,2]"),
            (#"{"a":1}"#, .add(JSONPointer(tokens: ["a"]), 2), #"{"a":2}"#),
            (#"{"a":1}"#, .replace(JSONPointer(tokens: ["a"]), nil), #"{"a":null}"#),
            (#"{"a":[{"b":1}]}"#, .replace(JSONPointer(tokens: ["a", "0", "b"]), 2), #"{"a":[{"b":2}]}"#),
            (#"{"a":1}"#, .move(from: JSONPointer(tokens: ["a"]), to: JSONPointer(tokens: ["a"])), #"{"a":1}"#),
            (
                #"{"a":{"b":1}}"#, .move(from: JSONPointer(tokens: ["a", "b"]), to: JSONPointer(tokens: ["a"])),
                #"{"a":1}"#
            ),
            (#"{"a":{"b":1}}"#, .move(from: JSONPointer(tokens: ["a", "b"]), to: .root), "1"),
            (#"{"":0}"#, .remove(JSONPointer(tokens: [""])), "{}"),
        ] as [(String, JSONPatch.Operation, String)])
    func changes(document: String, operation: JSONPatch.Operation, result: String) throws {
        var value = try JSONValue(parsing: document)
        let patch = JSONPatch([operation])
        try patch.apply(to: &value)
        #expect(value.description == result)
        #expect(try JSONPatch(JSONValue(parsing: patch.encoded())) == patch)
    }

    @Test(
        "refuses what has no place, and what would do harm",
        arguments: [
            // RFC 6902, appendices A.9, A.12 and A.15.
            (#"{"op":"test","path":"/o/a","value":"1"}"#, .testFailed),
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
            (#"{"op":"test","path":"/none","value":null}"#, .noTarget),
            (#"{"op":"copy","from":"/none","path":"/x"}"#, .noTarget),
            (#"{"op":"move","from":"/none","path":"/none"}"#, .noTarget),
            (#"{"op":"move","from":"/o","path":"/o/x"}"#, .movesIntoItself),
            (#"{"op":"move","from":"","path":"/x"}"#, .movesIntoItself),
        ] as [(String, JSONPatchError.Kind)])
    func refusesOperations(operation: String, kind: JSONPatchError.Kind) throws {
        let before = try JSONValue(parsing: #"{"l":[1,2],"o":{"a":1}}"#)
        var value = before
        let patch = try JSONPatch(JSONValue(parsing: #"[{"op":"remove","path":"/l/0"},\#(operation)]"#))
        let error = #expect(throws: JSONPatchError.self) { try patch.apply(to: &value) }
        #expect(error == JSONPatchError(kind, operation: 1))
        #expect(value == before, "a patch that fails changes nothing")
    }

    @Test(
        "refuses what is no patch",
        arguments: [
            ("{}", .notAList, nil), ("null", .notAList, nil), ("[1]", .unknownOperation, 0),
            ("[{}]", .unknownOperation, 0), (#"[{"op":1,"path":""}]"#, .unknownOperation, 0),
            (#"[{"op":"Add","path":"","value":1}]"#, .unknownOperation, 0),
            (#"[{"op":"remove"}]"#, .missingMember("path"), 0),
            (#"[{"op":"remove","path":1}]"#, .missingMember("path"), 0),
            (#"[{"op":"add","path":""}]"#, .missingMember("value"), 0),
            (#"[{"op":"move","path":""}]"#, .missingMember("from"), 0),
            (#"[{"op":"remove","path":"/a"},{"op":"copy","from":null,"path":""}]"#, .missingMember("from"), 1),
            (#"[{"op":"remove","path":"a"}]"#, .malformedPointer(.missingLeadingSlash), 0),
            (#"[{"op":"move","path":"","from":"/~"}]"#, .malformedPointer(.invalidEscape(offset: 1)), 0),
        ] as [(String, JSONPatchError.Kind, Int?)])
    func refusesMalformed(text: String, kind: JSONPatchError.Kind, operation: Int?) throws {
        let value = try JSONValue(parsing: text)
        let error = #expect(throws: JSONPatchError.self) { try JSONPatch(value) }
        #expect(error == JSONPatchError(kind, operation: operation))
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test(
        "a test compares numbers by their worth, however they are written",
        arguments: [
            ("1", "1.0", true), ("100", "1e2", true), ("1E+2", "10.0e1", true), ("0", "-0.0", true),
            ("0e5", "0", true), ("-1.50", "-15e-1", true), ("1e99", "1000e96", true), ("1", "-1.0", false),
            ("1", "1.0000000000000000000000000001", false), ("12", "1.2", false), ("1e99", "1e98", false),
            ("123456789012345678901234567890", "123456789012345678901234567890.0", true), ("1", "true", false),
            ("[1,{\"a\":2}]", "[1.0,{\"a\":2e0}]", true), ("[1]", "[1,1]", false), ("{\"a\":1}", "{\"b\":1}", false),
        ])
    func comparesByWorth(one: String, other: String, isEqual: Bool) throws {
        for (left, right) in [(one, other), (other, one)] {
            var document = try JSONValue(parsing: left)
            let patch = JSONPatch([.test(.root, try JSONValue(parsing: right))])
            let passes = (try? patch.apply(to: &document)) != nil
            #expect(passes == isEqual)
        }
    }

    @Test("copies of copies are refused before they fill the memory, and nests before they are too deep")
    func boundsWhatItMakes() throws {
        let first = JSONPointer(tokens: ["-"])
        let doubling = JSONPatch(Array(repeating: .copy(from: .root, to: first), count: 64))
        var document: JSONValue = ["some text"]
        let error = #expect(throws: JSONPatchError.self) { try doubling.apply(to: &document) }
        #expect(error?.kind == .tooLarge)
        #expect(document == ["some text"])

        let deep = try JSONValue(
            parsing: String(repeating: "[", count: 300) + String(repeating: "]", count: 300), maximumDepth: 300)
        let way = JSONPointer(tokens: Array(repeating: "0", count: 299))
        for operation in [
            JSONPatch.Operation.add(way.appending("0"), deep), .replace(way, deep),
            .copy(from: .root, to: way.appending("-")),
        ] {
            document = deep
            let error = #expect(throws: JSONPatchError.self) { try JSONPatch([operation]).apply(to: &document) }
            #expect(error == JSONPatchError(.tooDeep, operation: 0))
        }
    }
}
