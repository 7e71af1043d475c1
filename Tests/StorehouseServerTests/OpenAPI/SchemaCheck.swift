import JSON

/// Validates values against the schemas of an OpenAPI document, with the keywords that the document uses.
///
/// Stricter than JSON Schema: members that a schema does not name are violations, so that every member is described.
struct SchemaCheck {
    let api: DescribedAPI

    func complaints(about value: JSONValue, _ schema: JSONValue, at place: String = "") -> [String] {
        var complaints = rules(value, schema, place)
        if let members = value.asObject, let known = names(of: schema) {
            complaints += members.names.filter { !known.contains($0) }.map { "\(place)/\($0) is not described" }
        }
        return complaints
    }

    private func rules(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        guard let schema = api.resolved(schema) else { return ["\(place): no such schema"] }
        var complaints: [String] = []
        if let type = schema["type"], !has(value, type) { complaints.append("\(place) is no \(type)") }
        if let constant = schema["const"], constant != value { complaints.append("\(place) is not \(constant)") }
        if let words = schema["enum"]?.asArray, !words.contains(value) { complaints.append("\(place) is none of them") }
        if let minimum = schema["minimum"]?.asInteger, let number = value.asInteger, number < minimum {
            complaints.append("\(place) is below \(minimum)")
        }
        complaints += (schema["allOf"]?.asArray ?? []).flatMap { rules(value, $0, place) }
        complaints += choices(value, schema, place)
        if let members = value.asObject { complaints += self.members(members, schema, place) }
        for (index, element) in (value.asArray ?? []).enumerated() {
            complaints += schema["items"].map { self.complaints(about: element, $0, at: "\(place)/\(index)") } ?? []
        }
        return complaints
    }

    private func choices(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        let fits = { (choice: JSONValue) in self.complaints(about: value, choice, at: place).isEmpty }
        if let any = schema["anyOf"]?.asArray, !any.contains(where: fits) { return ["\(place) fits none"] }
        if let one = schema["oneOf"]?.asArray, one.filter(fits).count != 1 { return ["\(place) does not fit one"] }
        return []
    }

    private func members(_ members: JSONObject, _ schema: JSONValue, _ place: String) -> [String] {
        let required = (schema["required"]?.asArray ?? []).compactMap(\.asString)
        return required.filter { members[$0] == nil }.map { "\(place)/\($0) is missing" }
            + (schema["properties"]?.asObject ?? [:]).flatMap { name, schema in
                members[name].map { complaints(about: $0, schema, at: "\(place)/\(name)") } ?? []
            }
    }

    /// The members that an object may have; nil if the schema does not restrict them.
    private func names(of schema: JSONValue) -> Set<String>? {
        guard let schema = api.resolved(schema) else { return nil }
        let parts = (schema["allOf"]?.asArray ?? []).compactMap(names)
        guard let own = schema["properties"]?.asObject?.names else {
            return parts.isEmpty ? nil : parts.reduce(into: []) { $0.formUnion($1) }
        }
        return parts.reduce(into: Set(own)) { $0.formUnion($1) }
    }

    private func has(_ value: JSONValue, _ type: JSONValue) -> Bool {
        let types = type.asArray ?? [type]
        return types.contains { type in
            switch type {
            case "object": value.asObject != nil
            case "array": value.asArray != nil
            case "string": value.asString != nil
            case "integer": value.asInteger != nil
            case "number": value.asNumber != nil
            case "boolean": value.asBool != nil
            case "null": value.isNull
            default: false
            }
        }
    }
}
