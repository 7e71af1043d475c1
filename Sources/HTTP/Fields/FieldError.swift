/// A field value that breaks its grammar.
package struct FieldError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for whoever sent it. It never repeats bytes of the request.
    package let description: String

    init(_ description: String) { self.description = description }
}
