/// A type that declares the schema of its values' JSON.
///
/// A type with an `encode(into:)` of its own needs it if it is not `Decodable`, or is encoded in another way by `Codable`.
package protocol JSONSchemaProviding {
    /// The schema of the JSON of every value.
    static var jsonSchema: JSONSchema { get }
}

extension JSONSchema {
    /// The schema of the JSON that the values of a type have.
    ///
    /// It is the type's own ``JSONSchemaProviding/jsonSchema``, or what its `init(from:)` decodes (see ``init(of:)``), or the
    /// raw values of an enumeration; ``any`` for any other type.
    package init(describing type: Any.Type) {
        if let type = type as? any JSONSchemaProviding.Type {
            self = type.jsonSchema
        } else if let type = type as? any Decodable.Type {
            self = JSONSchema(of: type)
        } else if let type = type as? any CaseIterable.Type {
            self = Self.cases(of: type) ?? .any
        } else {
            self = .any
        }
    }

    private static func cases<Cases: CaseIterable>(of type: Cases.Type) -> JSONSchema? { ofCases(of: type)?.schema }
}

extension Optional: JSONSchemaProviding {
    /// The schema of the wrapped value, which also accepts `null`.
    package static var jsonSchema: JSONSchema { JSONSchema(describing: Wrapped.self).nullable }
}

extension Array: JSONSchemaProviding {
    /// An array of any length.
    package static var jsonSchema: JSONSchema { .array(of: JSONSchema(describing: Element.self)) }
}

extension Dictionary: JSONSchemaProviding where Key == String {
    /// An object with any names.
    package static var jsonSchema: JSONSchema { .dictionary(of: JSONSchema(describing: Value.self)) }
}

extension CodableJSON: JSONSchemaProviding {
    /// The schema of the wrapped value.
    package static var jsonSchema: JSONSchema { JSONSchema(describing: Value.self) }
}
