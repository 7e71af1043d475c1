import JSON
import StoreHosting
import Testing

/// Fields of Codable types, of numbers and of lists.
@Suite struct ValueFieldTests {
    private func violations(_ payload: String) throws -> [String] {
        let json = try JSONValue(parsing: #"{"type":"order/send","payload":\#(payload)}"#)
        do throws(ActionDecodingError) {
            _ = try Order.schema.action(of: json)
            return []
        } catch {
            guard case .invalidPayload(let violations) = error else { throw error }
            return violations.map { "\($0.pointer) \($0.detail)" }
        }
    }

    @Test func decodingReversesEncoding() throws {
        let order = Order(
            address: Order.Address(street: "Main", number: nil), weight: 0.5, codes: ["a", "b"], gift: nil)
        let (type, payload) = try #require(Order.schema.describe(order))
        #expect(payload == ["address": ["street": "Main"], "weight": 0.5, "codes": ["a", "b"]])
        #expect(try Order.schema.action(of: ["type": .string(type), "payload": .object(payload)]) == order)
        #expect(try Order.schema.action(of: try #require(Order.schema.declarations.first).example).address.number == 7)
    }

    @Test func theSchemaIsDerived() throws {
        let address = JSONSchema.object([.required("street", .string()), .optional("number", .integer().nullable)])
        let expected = JSONSchema.object([
            .required("address", address), .required("weight", .number(0...2)),
            .required(
                "codes",
                .array(of: .string(minLength: 1, maxLength: 3, counting: .characters), minItems: 0, maxItems: 2)),
            .optional("gift", address),
        ])
        #expect(try #require(Order.schema.declarations.first).payload.encoded() == expected.encoded())
    }

    @Test(arguments: [
        (#"{"address":{"street":"a"},"weight":1,"codes":[]}"#, []),
        (
            #"{"address":{"street":"a"},"weight":3,"codes":["long text"]}"#,
            ["/payload/weight must be a number from 0.0 to 2.0", "/payload/codes/0 must have 1 to 3 characters"]
        ),
        (#"{"address":{"street":1},"weight":1,"codes":[]}"#, ["/payload/address/street must be a string"]),
        (#"{"address":{"street":"","number":1},"weight":1,"codes":[]}"#, ["/payload/address is not valid"]),
        (#"{"address":{"street":"a"},"weight":1,"codes":[],"gift":{"street":""}}"#, ["/payload/gift is not valid"]),
    ])
    func anErrorNamesThePlace(_ payload: String, _ expected: [String]) throws {
        #expect(try violations(payload) == expected)
    }
}

private struct Order: Sendable, Equatable {
    struct Address: Codable, Sendable, Equatable {
        struct Refusal: Error {}
        enum CodingKeys: CodingKey { case street, number }

        var street: String
        var number: Int?

        init(street: String, number: Int?) {
            self.street = street
            self.number = number
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            street = try container.decode(String.self, forKey: .street)
            number = try container.decodeIfPresent(Int.self, forKey: .number)
            guard !street.isEmpty else { throw Refusal() }
        }
    }

    var address: Address
    var weight: Double
    var codes: [String]
    var gift: Address?

    static let example = Address(street: "Main", number: 7)

    static let schema = ActionSchema<Order>([
        ActionDeclaration(
            "order/send", "Sends it.", fields: .value("address", example: example),
            .number("weight", 0...2, example: 0.5),
            Field<[String]>.list(of: .text("codes", 1...3, example: "abc"), 0...2),
            Field.value("gift", example: example).optional(),
            embed: { Order(address: $0, weight: $1, codes: $2, gift: $3) },
            extract: { ($0.address, $0.weight, $0.codes, $0.gift) })
    ])
}
