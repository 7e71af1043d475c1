import JSON

extension StoreKind {
    /// The number of its schema and a hash of its declaration, such as `3.k2f9`, by which a client notices that it was compiled with
    /// another declaration.
    ///
    /// Of the declaration counts all that a program depends on: the schemas of the state and the payloads, the names of the
    /// selectors, and the types, audiences, filled members and reasons of the actions. Texts for people and the order do not count.
    /// It tells nothing of the reducer, which has no declaration. It is computed anew by each call, in about a millisecond.
    package var version: String {
        var hash = FNV1a()
        for byte in declaration.encoded() { hash.add(byte) }
        return "\(schema).\(String(UInt32(truncatingIfNeeded: hash.value), radix: 36))"
    }

    private var declaration: JSONValue {
        [
            "actions": .array(actions.map { ($0.type, $0.declaration) }.inOrder(of: \.0).map(\.1)),
            "selectors": .array(selectors.map(\.name).inOrder(of: \.self).map(JSONValue.string)),
            "state": stateSchema.canonical,
        ]
    }
}

extension StoreKind.ActionDescription {
    fileprivate var declaration: JSONValue {
        [
            "type": .string(type), "audience": .string(audience.text),
            "reasons": .array(reasons.inOrder(of: \.self).map(JSONValue.string)),
            "filled": .object(
                JSONObject(
                    filled.map { ($0.name, JSONValue.string($0.filler.rawValue)) }.inOrder(of: \.0))),
            "payload": payload.canonical,
        ]
    }
}

extension JSONSchema {
    /// The published schema in one form for all that mean the same: without descriptions, and in the order of the bytes.
    fileprivate var canonical: JSONValue { (try? JSONValue(parsing: encoded())).map(Self.canonical) ?? .null }

    private static func canonical(_ schema: JSONValue) -> JSONValue {
        guard case .object(let keywords) = schema else { return schema }
        let known = keywords.filter { $0.name != "description" }.map { name, value in (name, canonical(name, value)) }
        return .object(JSONObject(known.inOrder(of: \.0)))
    }

    private static func canonical(_ keyword: String, _ value: JSONValue) -> JSONValue {
        switch (keyword, value) {
        case ("properties", .object(let schemas)):
            .object(JSONObject(schemas.map { ($0.name, canonical($0.value)) }.inOrder(of: \.0)))
        case ("items", _), ("additionalProperties", _): canonical(value)
        case ("required", .array(let values)), ("enum", .array(let values)), ("type", .array(let values)):
            .array(values.map { ($0.description, $0) }.inOrder(of: \.0).map(\.1))
        default: value
        }
    }
}

extension Sequence {
    /// The elements in the order of the bytes of a text, which is the same everywhere.
    fileprivate func inOrder(of text: (Element) -> String) -> [Element] {
        sorted { text($0).utf8.lexicographicallyPrecedes(text($1).utf8) }
    }
}
