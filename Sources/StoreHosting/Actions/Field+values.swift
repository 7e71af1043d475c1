import JSON

extension ActionField where Self == Field<Double> {
    /// A number, in `range` if that is given. Its bounds must be finite.
    public static func number(_ name: String, _ range: ClosedRange<Double>? = nil, example: Double) -> Self {
        Field(
            name, schema: range.map { .number($0) } ?? .number(), example: JSONNumber(example).map(JSONValue.number),
            read: { $0?.asNumber }, write: { JSONNumber($0).map(JSONValue.number) ?? .null })
    }
}

extension ActionField {
    /// A value of any `Codable` type.
    ///
    /// The schema is derived from the type; see `JSONSchema.init(of:example:)`. The type may refuse further values, by an
    /// error of its `init(from:)`: then the payload is invalid at the place that the error names.
    public static func value<Item: Codable & Sendable>(
        _ name: String, example: Item
    ) -> Self where Self == Field<Item> {
        let json = try? JSONValue(encoding: example)
        var field = Field<Item>(
            name, schema: json.map { JSONSchema(of: Item.self, example: $0) } ?? JSONSchema(of: Item.self),
            example: json, read: { json in try? (json ?? .null).decode(Item.self) },
            write: { (try? JSONValue(encoding: $0)) ?? .null })
        field.explain = { json in
            do throws(JSONDecodingError) {
                _ = try json.decode(Item.self)
                return nil
            } catch { return error }
        }
        return field
    }
}

extension ActionField {
    /// A list, whose elements are as `element` says.
    ///
    /// - Parameters:
    ///   - element: its name is the name of the list. The list's example has its example once, or as often as `count` demands.
    ///   - count: how many elements there may be.
    public static func list<Element: Sendable>(
        of element: Field<Element>, _ count: ClosedRange<Int>
    ) -> Self where Self == Field<[Element]> {
        let (read, write) = (element.read, element.write)
        var field = Field<[Element]>(
            element.name,
            schema: .array(of: element.schema, minItems: count.lowerBound, maxItems: count.upperBound),
            example: .array(element.example.map { Array(repeating: $0, count: max(1, count.lowerBound)) } ?? []),
            read: { json in
                guard let elements = json?.asArray else { return nil }
                return try? elements.map { element throws(PayloadMismatch) in try read(element) }
            },
            write: { .array($0.map { write($0) ?? .null }) })
        field.isSecret = element.isSecret
        if let explain = element.explain {
            field.explain = { json in
                for (index, element) in (json.asArray ?? []).enumerated() where (try? read(element)) == nil {
                    return explain(element)?.below(String(index))
                }
                return nil
            }
        }
        return field
    }
}
