package import JSON
public import Stores

extension JSONSchema {
    /// The schema of a state's JSON: of each member that it visits, or of its type if it declares no members.
    ///
    /// The members come from the state itself, so the schema names those that clients see.
    init(ofState state: some DiffableState) {
        self = (state as? any ObjectState).map { JSONSchema(visiting: $0) } ?? JSONSchema(describing: type(of: state))
    }

    fileprivate init(visiting object: some ObjectState) {
        var visitor = SchemaVisitor()
        object.visitMembers(&visitor)
        self = .object(visitor.properties)
    }
}

/// Collects the schemas of the members of an object, by their types.
private struct SchemaVisitor: MemberVisitor {
    var properties: [JSONSchema.Property] = []

    mutating func member<Value: JSONEncodable>(_ name: StaticString, _ value: Value) {
        properties.append(.required(name.description, JSONSchema(describing: Value.self)))
    }

    mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken) { member(name, value) }

    mutating func member(_ name: StaticString, _ part: some ObjectState) {
        properties.append(.required(name.description, JSONSchema(visiting: part)))
    }

    mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        properties += EntityTable<Entity>.properties
    }
}

extension EntityTable {
    fileprivate static var properties: [JSONSchema.Property] {
        [
            .required("entities", .dictionary(of: JSONSchema(describing: Entity.self))),
            .required("ids", .array(of: JSONSchema(describing: Entity.ID.self))),
        ]
    }
}

extension EntityTable: JSONSchemaProviding {
    /// An object with `entities` and `ids`.
    package static var jsonSchema: JSONSchema { .object(properties) }
}
