extension JSONSchema {
    /// A member that an object has or may have.
    public struct Property: Sendable {
        /// What the member is called.
        public let name: String
        /// What its value may be.
        public let schema: JSONSchema
        /// Whether an object without it is refused.
        public let isRequired: Bool

        /// A member that an object must have.
        public static func required(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: true)
        }

        /// A member that an object may have.
        public static func optional(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: false)
        }
    }
}
