extension JSONSchema: JSONEncodable {
    /// Writes the schema in the words of draft 2020-12.
    public func encode(into json: inout JSONWriter) {
        json.object { json in
            encodeType(into: &json)
            json.member("title", ifPresent: title)
            json.member("description", ifPresent: details)
            json.member("default", ifPresent: defaultValue)
            shape.encodeKeywords(isNullable: isNullable, into: &json)
        }
    }

    private func encodeType(into json: inout JSONWriter) {
        if isNullable {
            json.member("type", [shape.typeName, "null"])
        } else {
            json.member("type", shape.typeName)
        }
    }
}

extension JSONSchema.Shape {
    fileprivate var typeName: String {
        switch self {
        case .integer: "integer"
        case .boolean: "boolean"
        case .enumeration, .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    fileprivate func encodeKeywords(isNullable: Bool, into json: inout JSONWriter) {
        switch self {
        case .boolean:
            break
        case .integer(let minimum, let maximum):
            // No integer beyond 64 bits is taken, so none is promised.
            json.member("minimum", minimum ?? .min)
            json.member("maximum", maximum ?? .max)
        case .enumeration(let values):
            json.member("enum", values.map(JSONValue.string) + (isNullable ? [.null] : []))
        case .string(let rules):
            rules.encodeKeywords(into: &json)
        case .array(let items, let count):
            json.member("items", items)
            json.member("minItems", ifPresent: count.minimum)
            json.member("maxItems", ifPresent: count.maximum)
        case .object(let properties, let count):
            Self.encodeKeywords(of: properties, into: &json)
            json.member("minProperties", ifPresent: count.minimum)
            json.member("maxProperties", ifPresent: count.maximum)
        }
    }

    private static func encodeKeywords(of properties: [JSONSchema.Property], into json: inout JSONWriter) {
        json.name("properties")
        json.object { json in
            for property in properties {
                json.member(name: property.name, property.schema)
            }
        }
        let required = properties.filter(\.isRequired).map(\.name)
        if !required.isEmpty {
            json.member("required", required)
        }
        json.member("additionalProperties", false)
    }
}

extension JSONSchema.TextRules {
    fileprivate func encodeKeywords(into json: inout JSONWriter) {
        // A character has one code point at least: whatever the published bound allows, counted in code points, has no
        // more characters than that. It may have fewer than the lower bound.
        json.member("minLength", ifPresent: length.minimum)
        json.member("maxLength", ifPresent: length.maximum)
        json.member("pattern", ifPresent: pattern?.expression)
        json.member("format", ifPresent: format?.rawValue)
    }
}
