/// Why a text is no JSON Pointer.
public enum JSONPointerError: Error, Sendable, Hashable {
    /// A pointer is empty or starts with a slash (RFC 6901 section 3).
    case missingLeadingSlash
    /// A `~` is followed by neither `0` nor `1`; the offset counts bytes from 0.
    case invalidEscape(offset: Int)
}

extension JSONPointerError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .missingLeadingSlash:
            "A JSON Pointer is empty or starts with '/'."
        case .invalidEscape(let offset):
            "In a JSON Pointer '~' must be followed by '0' or '1'; at byte \(offset) it is not."
        }
    }
}
