import JSON
import Testing

/// Changes of single members and elements.
@Suite struct SubscriptTests {
    @Test func aPathLeadsToAValue() {
        let json: JSONValue = ["halls": [["name": "Blue"], 2], "open": nil]
        #expect(json["halls"][0]["name"] == "Blue")
        #expect(json["halls"]?[0]?["name"] == "Blue")
        #expect(json["halls"][1] == 2)
        #expect(json["halls"][2] == nil && json["halls"][-1] == nil && json["halls"][1]["name"] == nil)
        #expect(json["halls"]["name"] == nil && json["none"][0] == nil && json[0] == nil)
        #expect(json["open"] == JSONValue.null)
    }

    @Test func aMemberIsSetWhereItIs() {
        var json: JSONValue = ["a": ["x": 1, "y": 2], "b": 3]
        json["a"]["x"] = "new"
        json["a"]["z"] = ["deep": true]
        json["a"]["z"]["deep"] = .null
        json["b"] = nil
        #expect(json.description == #"{"a":{"x":"new","y":2,"z":{"deep":null}}}"#)
        json["a"]["y"] = nil
        json["a"]["none"] = nil
        #expect(json.description == #"{"a":{"x":"new","z":{"deep":null}}}"#)
    }

    @Test func aMissingValueBecomesAnObjectOrAnArray() {
        var json = JSONValue.null
        json["a"]["b"]["c"] = 1
        json["list"][0]["name"] = "Ada"
        #expect(json.description == #"{"a":{"b":{"c":1}},"list":[{"name":"Ada"}]}"#)
        json["list"]["name"] = 2
        json["a"]["b"][0] = 3
        #expect(json.description == #"{"a":{"b":[3]},"list":{"name":2}}"#)
    }

    @Test func nothingIsMadeForNil() {
        let before: JSONValue = ["text": "a", "null": nil, "list": [1]]
        var json = before
        json["none"]["b"] = nil
        json["none"][0] = nil
        json["none"][3] = 1
        json["text"]["b"] = nil
        json["text"][0] = nil
        json["null"]["b"] = nil
        json["null"][1] = 1
        json["list"][-1] = 1
        json["list"][2] = 1
        json["list"]["b"] = nil
        #expect(json == before)
        #expect(json.description == before.description)
    }

    @Test func anElementIsSetAppendedAndRemoved() {
        var json: JSONValue = ["list": [1, 2, 3]]
        json["list"][1] = "two"
        json["list"][3] = 4
        json["list"][0] = nil
        json["list"][2] = .null
        #expect(json["list"] == ["two", 3, nil])
    }

    @Test func aCopyStaysAsItIs() {
        var json: JSONValue = ["list": [["a": 1]]]
        let copy = json
        json["list"][0]["a"] = 2
        #expect(copy == ["list": [["a": 1]]])
        #expect(json == ["list": [["a": 2]]])
    }

    /// A change in place: a copy of an array would be somewhere else.
    @Test func aChangeCopiesNothingAroundIt() {
        func places(_ json: JSONValue) -> [UnsafeRawPointer?] {
            [json["a"]["list"]?.asArray, json["a"]["list"][0]?.asArray].map { list in
                list?.withUnsafeBytes { $0.baseAddress }
            }
        }
        for count in [2, 100] {
            let members = (0..<count).map { ("m\($0)", JSONValue.integer($0)) }
            var json: JSONValue = ["a": .object(JSONObject(members + [("list", [[1, 2, 3], 4])]))]
            let before = places(json)
            #expect(before.count == 2 && !before.contains(nil))
            json["a"]["list"][0][2] = "three"
            json["a"]["m1"] = nil
            json["a"]["more"]["deep"] = 1
            #expect(places(json) == before)
            #expect(json["a"]["list"][0] == [1, 2, "three"])
        }
    }

    /// An object with many members finds them by an index.
    @Test func membersOfALargeObjectAreChanged() {
        var json = JSONValue.object(JSONObject((0..<40).map { ("m\($0)", ["value": .integer($0)]) }))
        for number in 0..<40 { json["m\(number)"]["value"] = .integer(-number) }
        for number in stride(from: 0, to: 40, by: 2) { json["m\(number)"] = nil }
        json["m1"]["value"] = nil
        #expect(json.asObject?.count == 20)
        #expect(json.asObject?.names == stride(from: 1, to: 40, by: 2).map { "m\($0)" })
        #expect(json["m1"] == [:] && json["m39"]["value"] == -39 && json["m0"] == nil)
    }
}
