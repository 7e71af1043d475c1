import Foundation
import JSON
import Testing

/// How values are read by their `init(from:)`.
@Suite struct CodableDecodingTests {
    private func error<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> JSONDecodingError? {
        let json = try JSONValue(parsing: text)
        do throws(JSONDecodingError) {
            _ = try json.decode(type)
            return nil
        } catch {
            return error
        }
    }

    @Test func randomValuesSurvive() throws {
        var random = RandomSource(seed: 71)
        let schema = JSONSchema(of: Sample.self)
        for _ in 0..<500 {
            let sample = random.sample()
            let json = try JSONValue(encoding: sample)
            #expect(try json.decode(Sample.self) == sample)
            #expect(schema.validate(json) == [])
            #expect(try JSONValue(encoding: json.decode(Sample.self)).description == json.description)
        }
    }

    @Test func anotherCoderAgrees() throws {
        var random = RandomSource(seed: 72)
        for _ in 0..<100 {
            let sample = random.sample()
            let text = try JSONValue(encoding: sample).description
            #expect(try JSONDecoder().decode(Sample.self, from: Data(text.utf8)) == sample)
            let other = try JSONValue(parsing: Array(JSONEncoder().encode(sample)))
            #expect(try other.decode(Sample.self) == sample)
        }
    }

    @Test func foundationsValuesSurvive() throws {
        func survives<Value: Codable & Equatable>(_ value: Value) throws {
            let json = try JSONValue(encoding: [value])
            #expect(try json.decode([Value].self) == [value])
            #expect(JSONSchema(of: [Value].self).validate(json) == [])
        }
        try survives(Date(timeIntervalSinceReferenceDate: 0.1))
        try survives(UUID())
        try survives(#require(URL(string: "https://example.com/a?b#c")))
        try survives(#require(Decimal(string: "-12345678901234567890.125")))
        try survives(Data([0, 255]))
    }

    @Test func missingAndNullMembersAreNil() throws {
        #expect(try JSONValue(parsing: #"{"street":"a"}"#).decode(Sample.Place.self).number == nil)
        #expect(try JSONValue(parsing: #"{"street":"a","number":null,"x":1}"#).decode(Sample.Place.self).number == nil)
    }

    @Test func wholeNumbersMayHaveAFraction() throws {
        #expect(try JSONValue(parsing: "[1.0,1e2,2]").decode([Int].self) == [1, 100, 2])
        #expect(try JSONValue(parsing: "[1,0.5]").decode([Double].self) == [1, 0.5])
        #expect(try JSONValue(parsing: "18446744073709551615").decode(UInt64.self) == .max)
    }

    @Test func anErrorNamesThePlaceAndNotTheValue() throws {
        typealias Place = Sample.Place
        let cases: [(JSONDecodingError?, String, String)] = [
            (try error(Int.self, "1.5"), "", "must be an integer of 64 bits"),
            (try error(Int8.self, "128"), "", "must be an integer from -128 to 127"),
            (try error(UInt64.self, "-1"), "", "must be an integer from 0 to 18446744073709551615"),
            (try error(String.self, "null"), "", "must be a string"),
            (try error([Bool].self, "[true,1]"), "/1", "must be true or false"),
            (try error(Double.self, "1e400"), "", "is beyond what a number may be"),
            (try error(Double.self, "\"1\""), "", "must be a number"),
            (try error(Place.self, "[]"), "", "must be an object"),
            (try error([Place].self, "{}"), "", "must be an array"),
            (try error([Place].self, #"[{"number":1}]"#), "/0/street", "is missing"),
            (try error([Place].self, #"[{"street":"a","number":"b"}]"#), "/0/number", "must be an integer of 64 bits"),
            (try error([String: [Int]].self, #"{"a/b":["c"]}"#), "/a~1b/0", "must be an integer of 64 bits"),
            (try error([Sample.Color].self, #"["secret"]"#), "/0", "is none of the values that there are"),
            (try error(Sample.Event.self, #"{"gone":{}}"#), "", "is not valid"),
            (try error([UUID].self, #"["secret"]"#), "/0", "is not valid"),
            (try error(Picky.self, #"{"a":"secret"}"#), "", "is not valid"),
            (try error(Sample.Event.self, #"{"moved":{"to":1}}"#), "/moved/from", "is missing"),
            (try error(Pair.self, "[1]"), "/1", "is missing"),
        ]
        for (found, pointer, detail) in cases {
            #expect(found == JSONDecodingError(pointer: try JSONPointer(pointer), detail: detail))
        }
    }

    @Test func depthIsBounded() throws {
        let deep = (0..<2000).reduce(JSONValue.object(["name": "", "children": []])) { tree, _ in
            .object(["name": "", "children": .array([tree])])
        }
        #expect(throws: JSONDecodingError.self) { _ = try deep.decode(Tree.self) }
        #expect(throws: JSONDecodingError.self) { _ = try JSONValue.null.decode(Endless.self) }
    }

    @Test func damagedJSONIsRefusedOrDecoded() throws {
        var random = RandomSource(seed: 73)
        for _ in 0..<300 {
            let bytes = try JSONValue(encoding: random.sample()).encoded()
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
            guard let json = try? JSONValue(parsing: damaged), let value = try? json.decode(Sample.self) else {
                continue
            }
            #expect(try JSONValue(encoding: value).decode(Sample.self) == value)
        }
    }
}

/// Refuses everything by an error of its own.
private struct Picky: Decodable {
    struct Refusal: Error {}
    init(from decoder: any Decoder) throws { throw Refusal() }
}

private struct Pair: Decodable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        _ = try container.decode(Int.self)
        _ = try container.decode(Int.self)
    }
}

private struct Endless: Decodable {
    init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Endless.self) }
}
