import JSON
import StoreHosting
import Stores
import Testing

/// Patches of a state, and their projections onto a part of it.
@Suite struct EncodedPatchTests {
    private static func patch(_ kind: EncodedPatch.Operation.Kind, _ path: String) -> EncodedPatch {
        EncodedPatch([.init(kind, path, kind == .remove ? [] : Array("1".utf8))])
    }

    @Test(
        arguments: [
            (.replace, "/a/b", "/a", "/b"), (.replace, "/a", "/a", ""), (.add, "/a/b/c", "/a/b", "/c"),
            (.remove, "/a/0", "/a", "/0"), (.replace, "/a~1b/c", "/a~1b", "/c"), (.replace, "/a", "", "/a"),
        ] as [(EncodedPatch.Operation.Kind, String, String, String)])
    func nestedDifferencesHaveTheirPath(
        _ kind: EncodedPatch.Operation.Kind, _ path: String, _ pointer: String, _ inside: String
    ) throws {
        #expect(
            Self.patch(kind, path).projected(to: try JSONPointer(pointer)) == .patch(Self.patch(kind, inside)))
    }

    @Test(
        arguments: [
            (.replace, "/a/b", "/a/c"), (.replace, "/ab", "/a"), (.replace, "/a", "/ab"), (.add, "/a/x", "/a/b"),
            (.replace, "/a/0", "/a/1"), (.remove, "/b/0", "/a/0"),
            (.add, "/a/5", "/a/3/b"), (.remove, "/a/10", "/a/9"), (.add, "/a/1", "/a/x"),
        ] as [(EncodedPatch.Operation.Kind, String, String)])
    func whatIsBesideChangesNothing(_ kind: EncodedPatch.Operation.Kind, _ path: String, _ pointer: String) throws {
        #expect(Self.patch(kind, path).projected(to: try JSONPointer(pointer)) == .unchanged)
        #expect(EncodedPatch().projected(to: try JSONPointer(pointer)) == .unchanged)
    }

    @Test(
        arguments: [
            (.remove, "/a/0", "/a/0"), (.remove, "/a/0", "/a/1"), (.add, "/a/3", "/a/5/b"),
        ] as [(EncodedPatch.Operation.Kind, String, String)])
    func shiftedElementsAreCompared(
        _ kind: EncodedPatch.Operation.Kind, _ path: String, _ pointer: String
    ) throws {
        #expect(Self.patch(kind, path).projected(to: try JSONPointer(pointer)) == .needsValue)
    }

    /// The operation has the value of the part, or shows that there is none.
    @Test(
        arguments: [
            (.replace, "", "/a/b", "2"), (.replace, "/a", "/a/b", "null"), (.replace, "/x", "/x/a/b", "2"),
            (.add, "/x", "/x/a", #"{"b":2}"#), (.add, "/a", "/a", #"{"a":{"b":2}}"#), (.remove, "/a", "/a/b", "null"),
            (.remove, "/a", "/a", "null"), (.add, "/x~1y", "/x~1y/a/b", "2"),
        ] as [(EncodedPatch.Operation.Kind, String, String, String)])
    func aReplacedWholeHasTheValueOfItsPart(
        _ kind: EncodedPatch.Operation.Kind, _ path: String, _ pointer: String, _ value: String
    ) throws {
        let patch = EncodedPatch([
            .init(.replace, pointer, Array("1".utf8)),
            .init(kind, path, kind == .remove ? [] : Array(#"{"a":{"b":2}}"#.utf8)),
        ])
        #expect(patch.projected(to: try JSONPointer(pointer)) == .value(Array(value.utf8)))
        // A later change inside of it is not merged.
        let later = EncodedPatch(patch.operations + [.init(.replace, pointer, Array("1".utf8))])
        #expect(later.projected(to: try JSONPointer(pointer)) == .needsValue)
    }

    @Test(
        arguments: [
            ("1", "1", "[]"), ("1", "2", #"[{"op":"replace","path":"/x","value":2}]"#),
            (#"{"a":1,"b":2}"#, #"{"a":1,"b":3}"#, #"[{"op":"replace","path":"/x/b","value":3}]"#),
            ("[1,2]", "[1,2,3]", #"[{"op":"add","path":"/x/2","value":3}]"#),
            ("[1,2]", "[2]", #"[{"op":"remove","path":"/x/0"}]"#),
            ("[1,2,3]", "[3,1,2]", #"[{"op":"move","from":"/x/2","path":"/x/0"}]"#),
            ("null", #"{"a":1}"#, #"[{"op":"replace","path":"/x","value":{"a":1}}]"#),
        ])
    func differencesAreFoundBelowAPath(_ old: String, _ new: String, _ patch: String) {
        let found = EncodedPatch(from: old.utf8, to: new.utf8, at: "/x")
        #expect(String(decoding: found.encoded(), as: UTF8.self) == patch)
    }

    /// The projection of a `move` onto a part: it stays inside, passes by, or may change the part in a way that the
    /// patch does not show.
    @Test(
        arguments: [
            ("/a/b/0", "/a/b/2", "/a", "inside"), ("/a/b/0", "/a/b/2", "/a/b", "inside"),
            ("/x/0", "/x/3", "/a", "beside"),
            ("/a/5", "/a/3", "/a/1", "beside"), ("/a/5", "/a/3", "/a/4", "unknown"),
            ("/a/3", "/a/5", "/a/4/b", "unknown"),
            ("/a/x", "/b", "/a", "unknown"), ("/a", "/b", "/b/c", "unknown"), ("/a", "/b", "/a/c", "unknown"),
            ("/b", "/a/x", "/a", "unknown"), ("/a", "/b", "/ab", "beside"),
        ])
    func aMoveIsProjected(_ from: String, _ path: String, _ pointer: String, _ expected: String) throws {
        let projection = EncodedPatch([.init(movingFrom: from, to: path)]).projected(to: try JSONPointer(pointer))
        let inner = EncodedPatch([
            .init(
                movingFrom: String(from.dropFirst(pointer.count)), to: String(path.dropFirst(pointer.count)))
        ])
        switch expected {
        case "inside": #expect(projection == .patch(inner))
        case "beside": #expect(projection == .unchanged)
        default: #expect(projection == .needsValue)
        }
    }

    @Test func aPatchThatDoesNotFitMakesNothing() {
        #expect(Self.patch(.replace, "/a").applied(to: ["b": 1]) == nil)
        #expect(Self.patch(.replace, "/b").applied(to: ["b": 0]) == ["b": 1])
    }

    @Test func whatWasEncodedIsReadAgain() {
        let patch = EncodedPatch([
            .init(.add, "/a~1b/0", Array(#"{"x":[1.50,"é\n"],"y":null}"#.utf8)), .init(.remove, "/c"),
            .init(movingFrom: "/d", to: "/a~1b/-"),
            .init(.replace, "", Array("12345678901234567890".utf8)),
        ])
        #expect(EncodedPatch(json: patch.encoded()) == patch)
        #expect(EncodedPatch(json: EncodedPatch().encoded()) == EncodedPatch())
    }

    @Test(
        arguments: [
            "", "{}", "[1]", #"[{"op":"add","path":"/a"}]"#, #"[{"op":"move","path":"/b"}]"#,
            #"[{"op":"copy","from":"/a","path":"/b"}]"#,
            #"[{"op":"remove"}]"#, "[",
        ])
    func whatIsNoPatchIsNotRead(_ json: String) {
        #expect(EncodedPatch(json: Array(json.utf8)) == nil)
    }
}
