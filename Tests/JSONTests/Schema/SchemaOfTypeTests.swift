import Foundation
import JSON
import Testing

/// The schemas that are derived from types.
@Suite struct SchemaOfTypeTests {
    private func text<Value: Decodable>(_ type: Value.Type) -> String {
        String(decoding: JSONSchema(of: type).encoded(), as: UTF8.self)
    }

    private func text(_ schema: JSONSchema) -> String { String(decoding: schema.encoded(), as: UTF8.self) }

    @Test func simpleTypes() {
        #expect(text(String.self) == text(.string()))
        #expect(text(Int.self) == text(.integer()))
        #expect(text(UInt8.self) == text(.integer(0...255)))
        #expect(text(UInt64.self) == text(.number(minimum: 0)))
        #expect(text(Double.self) == text(.number()))
        #expect(text(Bool.self) == text(.boolean))
        #expect(text(Bool?.self) == text(.boolean.nullable))
        #expect(text([[Int8]].self) == text(.array(of: .array(of: .integer(-128...127)))))
        #expect(text(Set<String>.self) == text(.array(of: .string())))
        #expect(text([String: Int?].self) == text(.dictionary(of: .integer().nullable)))
        #expect(text([Int: Bool].self) == text(.dictionary(of: .boolean)))
        #expect(text([Bool: Int].self) == text(.array(of: .any)))
    }

    @Test func foundationsTypes() {
        #expect(text(Date.self) == text(.number()))
        #expect(text(UUID.self) == text(.string()))
        #expect(text(Data.self) == text(.array(of: .integer(0...255))))
        #expect(text(URL.self) == text(.object([.required("relative", .string()), .optional("base", .any)])))
    }

    @Test func structs() {
        let place = JSONSchema.object([.required("street", .string()), .optional("number", .integer().nullable)])
        #expect(text(Sample.Place.self) == text(place))
        #expect(text([Sample.Place?].self) == text(.array(of: place.nullable)))
        #expect(text(Empty.self) == text(.any))
    }

    @Test func enums() {
        #expect(text(Sample.Color.self) == text(.enumeration(["red", "blue"])))
        #expect(text(Sample.Level.self) == text(.integer(1...5)))
        #expect(text(One.self) == text(.enumeration(["only"])))
        let event = JSONSchema.object(
            [
                .optional("opened", .object([])),
                .optional("moved", .object([.required("from", .integer()), .optional("to", .integer().nullable)])),
                .optional("renamed", .object([.required("_0", .string())])),
                .optional("repeated", .object([.required("_0", .any), .required("times", .integer(0...255))])),
            ], minProperties: 1, maxProperties: 1)
        #expect(text(Sample.Event.self) == text(event))
    }

    @Test func recursionIsCut() {
        #expect(
            text(Tree.self) == text(.object([.required("name", .string()), .required("children", .array(of: .any))])))
        #expect(text(Chain.self) == text(.object([.required("value", .integer()), .optional("next", .any)])))
    }

    @Test func codeOfItsOwn() {
        #expect(text(Vector.self) == text(.array(of: .number(), minItems: 2, maxItems: 2)))
        #expect(text(Lenient.self) == text(.object([.optional("a", .any), .required("b", .integer())])))
        #expect(text(TextOrNumber.self) == text(.any))
        #expect(text(Positive.self) == text(.integer()))
        #expect(text(AnyNames.self) == text(.any))
        #expect(text(Endless.self) == text(.any))
    }

    @Test func anExampleHelps() throws {
        #expect(text(Magic.self) == text(.any))
        let example = JSONValue.object(["word": "xyzzy"])
        #expect(text(JSONSchema(of: Magic.self, example: example)) == text(.object([.required("word", .string())])))
        #expect(text(JSONSchema(of: [Magic].self, example: [example])).contains("word"))
        // An example that the schema would refuse.
        #expect(text(JSONSchema(of: Int.self, example: "text")) == text(.any))
    }
}

private struct Empty: Codable {}
private enum One: String, Codable { case only }

private final class Chain: Codable {
    var value = 1
    var next: Chain?
}

private struct Vector: Decodable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        _ = try container.decode(Double.self)
        _ = try container.decode(Double.self)
    }
}

private struct Lenient: Decodable {
    enum CodingKeys: CodingKey { case a, b }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        _ = (try? container.decode(Int.self, forKey: .a)) ?? 0
        _ = try container.decode(Int.self, forKey: .b)
    }
}

private struct TextOrNumber: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? container.decode(Int.self)) == nil { _ = try container.decode(String.self) }
    }
}

private struct Positive: Decodable {
    struct Refusal: Error {}
    init(from decoder: any Decoder) throws {
        guard try decoder.singleValueContainer().decode(Int.self) > 0 else { throw Refusal() }
    }
}

private struct Magic: Decodable {
    struct Refusal: Error {}
    enum CodingKeys: CodingKey { case word }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(String.self, forKey: .word) == "xyzzy" else { throw Refusal() }
    }
}

private struct AnyNames: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Unusual.Key.self)
        for key in container.allKeys { _ = try container.decode(Int.self, forKey: key) }
    }
}

/// Decodes elements until one is refused.
private struct Endless: Decodable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while (try? container.decode(Int.self)) != nil {}
    }
}
