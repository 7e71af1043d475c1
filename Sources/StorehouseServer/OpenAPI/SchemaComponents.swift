import JSON

/// The named schemas of the document.
///
/// Generators of clients make a type of each. The names that they invent for nameless objects depend on the order of the
/// operations, so each object inside a schema becomes a schema with a name of its own.
struct SchemaComponents {
    private(set) var schemas: JSONObject = [:]
    /// In lower case, because generators write a file for each, also to disks that do not tell `A` from `a`.
    private var taken: Set<String> = []

    /// Adds a schema whose name stands in other schemas.
    mutating func add(_ name: String, _ schema: JSONValue) {
        taken.insert(name.lowercased())
        schemas[name] = .null  // keeps its place before those of the objects inside
        schemas[name] = named(schema, name)
    }

    /// Keeps a name for a schema that is added later.
    mutating func reserve(_ name: String) { taken.insert(name.lowercased()) }

    /// Adds a schema under a name of these words, with a number behind it if there is another schema of this name.
    ///
    /// - Returns: the name.
    mutating func add(words: String..., schema: JSONValue) -> String {
        let base = words.map(Self.joined).joined()
        let numbered = (2...).lazy.map { "\(base)\($0)" }
        let name = isFree(base) ? base : numbered.first(where: isFree) ?? base
        add(name, schema)
        return name
    }

    /// Clients in Go have a function `NewSession` beside the type `Session`, so there must not be a type of that name.
    private func isFree(_ name: String) -> Bool {
        let name = name.lowercased()
        let isConstructor = name.hasPrefix("new") && taken.contains(String(name.dropFirst(3)))
        return !taken.contains(name) && !taken.contains("new" + name) && !isConstructor
    }

    /// The words of a name as one: `LoginForm` for `login-form`. Generators cannot use other characters in a name.
    private static func joined(_ text: String) -> String {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The schema with references in the place of the objects inside it.
    private mutating func named(_ schema: JSONValue, _ name: String) -> JSONValue {
        guard var members = schema.asObject else { return schema }
        members["format"] = members["format"] ?? Self.format(of: members)
        if let properties = members["properties"]?.asObject {
            members["properties"] = .object(
                JSONObject(properties.map { ($0.name, inner($0.value, name, $0.name)) }))
        }
        if let items = members["items"] { members["items"] = inner(items, name, "item") }
        if let values = members["additionalProperties"], values.asBool == nil {
            members["additionalProperties"] = inner(values, name, "value")
        }
        return .object(members)
    }

    private mutating func inner(_ schema: JSONValue, _ outer: String, _ name: String) -> JSONValue {
        guard schema["properties"]?.asObject?.isEmpty == false, var members = schema.asObject else {
            return named(schema, outer + Self.joined(name))
        }
        guard members["type"] != "object" else { return .schema(add(words: outer, name, schema: schema)) }
        // It may also be null.
        members["type"] = "object"
        return ["anyOf": [.schema(add(words: outer, name, schema: .object(members))), ["type": "null"]]]
    }

    /// Without a format, clients in Go, Kotlin and others have integers of 32 bits.
    static func format(of schema: JSONObject) -> JSONValue? {
        guard schema["type"] == "integer" || schema["type"] == ["integer", "null"] else { return nil }
        guard let minimum = schema["minimum"]?.asInteger, let maximum = schema["maximum"]?.asInteger,
            minimum >= Int(Int32.min), maximum <= Int(Int32.max)
        else { return "int64" }
        return nil
    }
}
