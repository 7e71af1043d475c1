import JSON
import Testing

@Suite("Values")
struct ValueTests {
    @Test("equality and hash ignore the order of members")
    func ignoresOrder() {
        let one: JSONValue = ["a": 1, "b": [2, "x"]]
        let other: JSONValue = ["b": [2, "x"], "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1])
        #expect(one != ["a": 1, "b": [2, "y"]])
        #expect(one != ["a": 1, "c": [2, "x"]])
    }

    @Test("strings are compared by code point")
    func comparesCodePoints() {
        #expect("\u{E9}" == "e\u{301}")
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(JSONValue.string("e\u{301}") == .string("e\u{301}"))
        #expect(Set<JSONValue>([.string("\u{E9}"), .string("e\u{301}"), .string("\u{E9}")]).count == 2)
        // Equal length and canonically equivalent: only the bytes tell them apart.
        #expect(JSONValue.string("a\u{323}\u{307}") != .string("a\u{307}\u{323}"))
    }

    @Test("values of different kinds differ")
    func distinguishesKinds() throws {
        let values: [JSONValue] = [nil, false, true, 0, 1, "0", "", [], [0], [:], ["a": 0], 0.5]
        #expect(Set(values).count == values.count)
        for (index, value) in values.enumerated() {
            #expect(values.firstIndex(of: value) == index)
        }
    }

    @Test("accessors return nil for other kinds")
    func accessors() {
        #expect(JSONValue.null.isNull && !JSONValue.bool(false).isNull)
        #expect(JSONValue.bool(true).asBool == true && JSONValue.integer(1).asBool == nil)
        #expect(JSONValue.integer(7).asInteger == 7 && JSONValue.string("7").asInteger == nil)
        #expect(JSONValue.string("x").asString == "x" && JSONValue.null.asString == nil)
        #expect(JSONValue.array([1]).asArray == [1] && JSONValue.null.asArray == nil)
        #expect(JSONValue.object(["a": 1]).asObject?.count == 1 && JSONValue.null.asObject == nil)
        #expect(JSONValue.array([1])["a"] == nil)
    }

    @Test("a duplicate literal member has its last value at its first place")
    func lastDuplicateWins() {
        let value: JSONValue = ["a": 1, "b": 2, "a": 3]
        #expect(value.description == #"{"a":3,"b":2}"#)
    }

    @Test("members are set, added and removed, with and without an index", arguments: [3, 40])
    func changesMembers(count: Int) {
        var object = JSONObject((0..<count).map { ("n\($0)", .integer($0)) })
        object["n1"] = "changed"
        object["new"] = true
        object["n0"] = nil
        object["absent"] = nil
        #expect(object.count == count)
        #expect(object["n0"] == nil)
        #expect(object["n1"] == "changed")
        #expect(object["new"] == true)
        #expect(object["n\(count - 1)"] == .integer(count - 1))
        #expect(object.names == (1..<count).map { "n\($0)" } + ["new"])
        #expect(object.names.first == "n1")
    }
}
