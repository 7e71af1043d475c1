import JSON
import Testing

@Suite("Patch between two documents")
struct PatchDifferenceTests {
    @Test(
        "describes differences in few bytes",
        arguments: [
            ("1", "1", "[]"), ("{}", "{}", "[]"), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, "[]"),
            ("1", "2", #"[{"op":"replace","path":"","value":2}]"#),
            ("1", "1.0", #"[{"op":"replace","path":"","value":1.0}]"#),
            ("[1]", "{}", #"[{"op":"replace","path":"","value":{}}]"#),
            (
                #"{"text":"the same for both of them","count":1}"#, #"{"text":"the same for both of them","count":2}"#,
                #"[{"op":"replace","path":"/count","value":2}]"#
            ),
            (
                #"{"text":"the same for both of them","old":1}"#, #"{"text":"the same for both of them","n":null}"#,
                #"[{"op":"remove","path":"/old"},{"op":"add","path":"/n","value":null}]"#
            ),
            (
                #"{"text":"the same for both of them, and longer","a/b~c":{"\"":1,"x":"kept as it is, and longer"}}"#,
                #"{"text":"the same for both of them, and longer","a/b~c":{"x":"kept as it is, and longer"}}"#,
                #"[{"op":"remove","path":"/a~1b~0c/\""}]"#
            ),
            (
                #"[{"id":"first"},{"id":"second"},{"id":"third"}]"#, #"[{"id":"first"},{"id":"third"}]"#,
                #"[{"op":"remove","path":"/1"}]"#
            ),
            (
                #"[{"id":"first"},{"id":"third"}]"#, #"[{"id":"first"},{"id":"second"},{"id":"third"}]"#,
                #"[{"op":"add","path":"/1","value":{"id":"second"}}]"#
            ),
            (
                #"[{"id":"first"},{"id":"second"}]"#, #"[{"id":"first"},{"id":"second"},7]"#,
                #"[{"op":"add","path":"/2","value":7}]"#
            ),
            (
                #"[{"id":"first","text":"left as it is"},{"id":"2","on":false}]"#,
                #"[{"id":"first","text":"left as it is"},{"id":"2","on":true}]"#,
                #"[{"op":"replace","path":"/1/on","value":true}]"#
            ),
            (
                #"{"text":"the same for both of them","list":["a","b","c","d"]}"#,
                #"{"text":"the same for both of them","list":["e","f","g","h"]}"#,
                #"[{"op":"replace","path":"/list","value":["e","f","g","h"]}]"#
            ),
            ("-0", "0", #"[{"op":"replace","path":"","value":0}]"#),
            (
                #"[{"id":1,"text":"the first"},{"id":2,"text":"the second"},{"id":3,"text":"the third"}]"#,
                #"[{"id":3,"text":"the 3rd"},{"id":1,"text":"the first"},{"id":2,"text":"the second"}]"#,
                #"[{"op":"replace","path":"/2/text","value":"the 3rd"},{"op":"move","from":"/2","path":"/0"}]"#
            ),
            (
                #"{"text":"the same for both of them","old":[1,2,3]}"#,
                #"{"text":"the same for both of them","new":[1,2,3]}"#,
                #"[{"op":"move","from":"/old","path":"/new"}]"#
            ),
        ])
    func describesDifferences(old: String, new: String, expected: String) throws {
        let (old, new) = (try JSONValue(parsing: old), try JSONValue(parsing: new))
        let patch = JSONPatch(from: old, to: new)
        #expect(String(decoding: patch.encoded(), as: UTF8.self) == expected)
        #expect(patch.isEmpty == (old == new))
        try expectRoundTrip(old, new)
    }

    @Test(
        "transforms any document into any other, and is never larger than it", arguments: 0..<20 as Range<UInt64>)
    func transformsAnyDocument(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        for _ in 0..<8 {
            let old = random.object(depth: 3)
            try expectRoundTrip(old, random.object(depth: 3))
            var new = old
            for _ in 0..<3 {
                new = random.changed(new)
                try expectRoundTrip(old, new)
            }
            #expect(JSONPatch(from: old, to: old).isEmpty)
        }
    }

    @Test("edits arrays that grew or shrank anywhere", arguments: 0..<10 as Range<UInt64>)
    func editsGrownAndShrunkArrays(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        for _ in 0..<50 {
            let lists = (0..<2).map { _ in
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    JSONValue.string(String(repeating: "x", count: 60 * .random(in: 0...2, using: &random)))
                }
            }
            try expectRoundTrip(.array(lists[0]), .array(lists[1]))
        }
    }

    private func expectRoundTrip(_ old: JSONValue, _ new: JSONValue) throws {
        let patch = JSONPatch(from: old, to: new)
        var value = old
        try patch.apply(to: &value)
        #expect(value == new)
        #expect(try JSONPatch(JSONValue(parsing: patch.encoded())) == patch)
        let whole = JSONPatch([.replace(.root, new)])
        #expect(patch.encoded().count <= whole.encoded().count)
    }
}
