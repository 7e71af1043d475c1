/// Any JSON value (RFC 8259), as it was written.
///
/// Numbers written as a plain 64-bit integer are kept as such, all others keep their text, so nothing is rounded.
/// Two strings, or two member names, are equal when their code points are: unlike Swift's `==` on `String`, composed
/// and decomposed forms of a letter differ, as RFC 8259 section 8.3 wants. The order of members does not count.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int)
    /// Every other number.
    case number(JSONNumber)
    /// A string, without its escapes.
    case string(String)
    /// Values in their order.
    case array([JSONValue])
    /// Members by their names.
    case object(JSONObject)

    /// The member of that name; nil where there is none, or where the value is no object.
    public subscript(name: String) -> JSONValue? {
        asObject?[name]
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String {
        String(decoding: encoded(), as: UTF8.self)
    }
}
