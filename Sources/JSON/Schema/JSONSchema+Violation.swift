extension JSONSchema {
    /// One thing that is wrong with a value.
    public struct Violation: Sendable, Hashable, JSONEncodable {
        /// The value that is wrong; for a member that is missing, the place where it should be.
        public let pointer: JSONPointer
        /// What it must be, without the value itself, which may be a secret.
        public let detail: String

        /// A violation at that place.
        public init(pointer: JSONPointer, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }

        public func encode(into json: inout JSONWriter) {
            json.object { json in
                json.member("pointer", pointer)
                json.member("detail", detail)
            }
        }
    }
}
