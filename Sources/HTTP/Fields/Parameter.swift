/// A parameter of a field value: its name in lower case, its value without quotes.
package struct Parameter: Sendable, Hashable {
    package let name: String
    package let value: String
}
