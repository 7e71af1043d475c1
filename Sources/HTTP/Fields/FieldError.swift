/// A field value is malformed.
package struct FieldError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for the client. It never quotes the request.
    package let description: String

    init(_ description: String) { self.description = description }
}
