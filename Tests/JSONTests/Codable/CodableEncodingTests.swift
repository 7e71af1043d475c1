import JSON
import Testing

/// How values are written by their `encode(to:)`.
@Suite struct CodableEncodingTests {
    private func text(_ value: some Encodable) throws -> String {
        var json = JSONWriter()
        try json.encodable(value)
        return String(decoding: json.finish(), as: UTF8.self)
    }

    @Test func membersKeepTheOrderOfTheDeclaration() throws {
        #expect(try text(Sample.Place(street: "a\"b", number: 3)) == #"{"street":"a\"b","number":3}"#)
        #expect(try text(Sample.Place(street: "é", number: nil)) == #"{"street":"é"}"#)
    }

    @Test func nilIsLeftOutOfAnObjectAndStaysInAnArray() throws {
        #expect(try text([1, nil]) == "[1,null]")
        #expect(try text(["a": Int?.none]) == #"{"a":null}"#)
        #expect(try text(Int?.none) == "null")
    }

    @Test func enumsAreObjectsOrRawValues() throws {
        #expect(try text([Sample.Color.red, .blue]) == #"["red","blue"]"#)
        #expect(try text(Sample.Level.high) == "5")
        #expect(try text(Sample.Event.opened) == #"{"opened":{}}"#)
        #expect(try text(Sample.Event.moved(from: 1, to: nil)) == #"{"moved":{"from":1}}"#)
        #expect(try text(Sample.Event.renamed("x")) == #"{"renamed":{"_0":"x"}}"#)
    }

    @Test func hashOrderedCollectionsAreSorted() throws {
        let names = (0..<100).map { "n\($0)" }
        let dictionary = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
        #expect(try JSONValue(encoding: dictionary).asObject?.names == names.sorted())
        #expect(try text(dictionary) == String(decoding: dictionary.encoded(), as: UTF8.self))
        #expect(try text([3: "c", 1: "a", 10: "b"]) == #"{"1":"a","10":"b","3":"c"}"#)
        #expect(try text([Sample.Color.red: 1, .blue: 2]) == #"["blue",2,"red",1]"#)
        #expect(try text(Set([3, 1, 2])) == "[1,2,3]")
        #expect(try text(["b": Set(["y", "x"]), "a": []]) == #"{"a":[],"b":["x","y"]}"#)
    }

    @Test func numbersAreExact() throws {
        #expect(try text(UInt64.max) == "18446744073709551615")
        #expect(try text(Int64.min) == "-9223372036854775808")
        #expect(try text(Int128.max) == "170141183460469231731687303715884105727")
        #expect(try text(Float(0.1)) == "0.1")
        #expect(try text([0.1, -0.0, 1e300]) == "[0.1,-0.0,1e+300]")
    }

    @Test func numbersThatJSONLacksAreNull() throws {
        #expect(try text([Double.nan, .infinity, 1]) == "[null,null,1.0]")
        #expect(try text(Float.infinity) == "null")
    }

    @Test func theWriterContinuesBehindAValue() throws {
        var json = JSONWriter()
        json.array { json in
            json.value(CodableJSON(Sample.Place(street: "a")))
            json.value(CodableJSON([1, 2]))
            json.value(CodableJSON("end"))
        }
        #expect(String(decoding: json.finish(), as: UTF8.self) == #"[{"street":"a"},[1,2],"end"]"#)
        let wrapped = CodableJSON(Sample.Place(street: "b"))
        #expect(String(decoding: [wrapped, wrapped].encoded(), as: UTF8.self) == #"[{"street":"b"},{"street":"b"}]"#)
    }

    @Test func aClassEncodesItsSuperclassInTheSameObjectOrInOneOfItsOwn() throws {
        #expect(try text(Derived(ownCoder: true)) == #"{"base":1,"derived":2}"#)
        #expect(try text(Derived(ownCoder: false)) == #"{"super":{"base":1},"derived":2}"#)
    }

    // The cases are no arguments of the tests, because Swift Testing encodes arguments, and Foundation's encoder traps.

    @Test func unusualCodeWritesValidJSON() throws {
        let cases: [(Unusual, String)] = [
            (.interleaved, #"{"a":{"x":1,"z":3},"b":{"y":2}}"#), (.outerFirst, #"{"a":{"x":1},"c":4}"#),
            (.twice, #"{"a":2,"b":1}"#), (.unused, #"{"a":{},"b":{},"c":1}"#), (.nothing, "{}"),
            (.arrays, #"{"a":[1,[2,3],{"k":4},null]}"#), (.sameContainer, #"{"a":1,"b":2}"#),
            (.manyTwice, "{" + (0..<20).map { #""n\#($0)":1"# }.joined(separator: ",") + "}"),
        ]
        for (value, expected) in cases {
            #expect(try text(value) == expected)
            #expect(try text([value, value]) == "[\(expected),\(expected)]")
        }
    }

    @Test func anErrorLeavesNull() {
        for value in [Unusual.twoValues, .valueAndContainer, .failing] {
            var json = JSONWriter()
            #expect(throws: (any Error).self) { try json.encodable(value) }
            #expect(json.bytes == Array("null".utf8))
            #expect(throws: (any Error).self) { _ = try JSONValue(encoding: ["a": [value]]) }
            #expect(String(decoding: [CodableJSON(value)].encoded(), as: UTF8.self) == "[null]")
        }
    }

    @Test func anErrorThatIsCaughtLeavesNothing() throws {
        #expect(try text(Unusual.caught) == #"{"b":1,"d":[2]}"#)
    }

    @Test func anotherValueMayReplaceOneThatFails() throws {
        #expect(try text(["a": Fallback()]) == #"{"a":[1]}"#)
    }

    @Test func depthIsBounded() throws {
        func nested(_ depth: Int) -> Tree {
            (0..<depth).reduce(Tree(name: "", children: [])) { tree, _ in Tree(name: "", children: [tree]) }
        }
        let deep = nested(200)
        #expect(try JSONValue(encoding: deep).decode(Tree.self) == deep)
        #expect(throws: EncodingError.self) { _ = try JSONValue(encoding: nested(300)) }
        #expect(throws: EncodingError.self) { _ = try JSONValue(encoding: Endless()) }
    }

    @Test func anEncoderThatIsKeptWritesNothingLater() throws {
        let keeper = Keeper()
        let written = try text(keeper)
        let kept = try #require(keeper.encoder)
        var container = kept.container(keyedBy: Unusual.Key.self)
        #expect(throws: (any Error).self) { try container.encode(1, forKey: Unusual.Key("late")) }
        #expect(written == #"{"a":1}"#)
    }
}

private class Base: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Unusual.Key.self)
        try container.encode(1, forKey: Unusual.Key("base"))
    }
}

private final class Derived: Base {
    private let ownCoder: Bool
    init(ownCoder: Bool) { self.ownCoder = ownCoder }

    override func encode(to encoder: any Encoder) throws {
        if ownCoder { try super.encode(to: encoder) }
        var container = encoder.container(keyedBy: Unusual.Key.self)
        if !ownCoder { try super.encode(to: container.superEncoder()) }
        try container.encode(2, forKey: Unusual.Key("derived"))
    }
}

private struct Fallback: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        do { try container.encode([Unusual.failing]) } catch { try container.encode([1]) }
    }
}

/// Contains itself without end.
private struct Endless: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Endless())
    }
}

private final class Keeper: Encodable {
    var encoder: (any Encoder)?

    func encode(to encoder: any Encoder) throws {
        self.encoder = encoder
        var container = encoder.container(keyedBy: Unusual.Key.self)
        try container.encode(1, forKey: Unusual.Key("a"))
    }
}
