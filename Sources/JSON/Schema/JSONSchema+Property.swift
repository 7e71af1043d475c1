extension JSONSchema {
    /// A member that an object has or may have.
    public struct Property: Sendable {
        public let name: String
        public let schema: JSONSchema
        public let isRequired: Bool

        public static func required(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: true)
        }

        public static func optional(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: false)
        }
    }
}
