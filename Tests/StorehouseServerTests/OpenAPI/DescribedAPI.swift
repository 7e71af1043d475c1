import JSON
import Locks
import StorehouseServer

/// The OpenAPI document of a live server.
struct DescribedAPI: Sendable {
    struct Operation: Sendable {
        let path: String
        let method: String
        let json: JSONValue
    }

    let json: JSONValue

    // Guards the descriptions that were parsed, by their bytes. Most servers of the tests have the same, and parsing is slow.
    private static let parsed = Locked<[[UInt8]: JSONValue]>([:])

    init(of server: any TestServing) async throws {
        let response = try await server.get("/openapi.json")
        if let known = Self.parsed.withLock({ $0[response.body] }) {
            json = known
        } else {
            let new = response.json
            Self.parsed.withLock { $0[response.body] = new }
            json = new
        }
    }

    var paths: [String] { json["paths"]?.asObject?.names ?? [] }

    var operations: [Operation] {
        paths.flatMap { path in
            (json["paths"]?[path]?.asObject ?? [:]).filter { $0.name != "parameters" }
                .map { Operation(path: path, method: $0.name.uppercased(), json: $0.value) }
        }
    }

    /// The named schemas.
    var schemas: JSONObject { json["components"]?["schemas"]?.asObject ?? [:] }

    func schema(_ name: String) -> JSONValue? { schemas[name] }

    /// The values in the document for which `isWanted`, with their places.
    func values(_ isWanted: (JSONValue) -> Bool) -> [(place: String, json: JSONValue)] {
        Self.values(in: json, "#", isWanted)
    }

    private static func values(
        in json: JSONValue, _ place: String, _ isWanted: (JSONValue) -> Bool
    ) -> [(place: String, json: JSONValue)] {
        let inner =
            json.asObject.map { $0.map { ("\(place)/\($0.name)", $0.value) } }
            ?? json.asArray.map { $0.enumerated().map { ("\(place)/\($0)", $1) } } ?? []
        return (isWanted(json) ? [(place, json)] : []) + inner.flatMap { values(in: $1, $0, isWanted) }
    }

    /// All schemas, with those inside others.
    var allSchemas: [(place: String, json: JSONValue)] {
        let holders = values { $0["schema"] != nil }.map { ("\($0.place)/schema", $0.json["schema"] ?? .null) }
        let named = schemas.map { ("#/components/schemas/\($0.name)", $0.value) }
        return (holders + named).flatMap { Self.schemas(in: $1, $0) }
    }

    private static func schemas(in schema: JSONValue, _ place: String) -> [(place: String, json: JSONValue)] {
        var inner = (schema["properties"]?.asObject ?? [:]).map { ("\(place)/\($0.name)", $0.value) }
        for keyword in ["items", "contentSchema"] {
            inner += schema[keyword].map { [("\(place)/\(keyword)", $0)] } ?? []
        }
        // Generators accept a boolean here.
        if let values = schema["additionalProperties"], values.asBool == nil { inner.append(("\(place)/*", values)) }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            inner += (schema[keyword]?.asArray ?? []).enumerated().map { ("\(place)/\(keyword)/\($0)", $1) }
        }
        return [(place, schema)] + inner.flatMap { schemas(in: $1, $0) }
    }

    func methods(of path: String) -> Set<String> {
        Set(operations.filter { $0.path == path }.map(\.method))
    }

    /// The target of a reference, or the value itself if it is none.
    func resolved(_ json: JSONValue) -> JSONValue? {
        guard let reference = json["$ref"]?.asString else { return json }
        guard reference.hasPrefix("#"), let pointer = try? JSONPointer(String(reference.dropFirst())) else {
            return nil
        }
        return pointer.value(in: self.json).flatMap(resolved)
    }

    /// All references in the document, with those of discriminators.
    var references: [String] { Self.references(in: json) }

    private static func references(in json: JSONValue) -> [String] {
        if let elements = json.asArray { return elements.flatMap(references) }
        guard let members = json.asObject else { return [] }
        return members.flatMap { name, value in
            switch name {
            case "$ref": value.asString.map { [$0] } ?? []
            case "mapping": value.asObject?.compactMap(\.value.asString) ?? []
            default: references(in: value)
            }
        }
    }

    /// The differences between a response and its description.
    func complaints(about response: TestResponse, to operation: Operation) -> [String] {
        let described = operation.json["responses"]?["\(response.status)"].flatMap(resolved)
        guard let described else { return ["status \(response.status) is not described"] }
        let missing = (described["headers"]?.asObject ?? [:]).filter { name, header in
            resolved(header)?["required"] == true && response[name.lowercased()] == nil
        }
        return missing.map { "has no \($0.name)" } + complaints(about: response, content: described["content"])
    }

    private func complaints(about response: TestResponse, content: JSONValue?) -> [String] {
        guard let content = content?.asObject else { return response.body.isEmpty ? [] : ["has a body"] }
        let type = response["content-type"]?.prefix { $0 != ";" } ?? ""
        guard let schema = content[String(type)]?["schema"] else { return ["is \(type)"] }
        if type.hasPrefix("text/") { return schema == ["type": "string"] ? [] : ["is text"] }
        return SchemaCheck(api: self).complaints(about: response.json, schema)
    }
}
