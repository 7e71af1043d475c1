/// Writes header fields of requests, and rejects names and values that could break out of their line.
package enum FieldLine {
    /// The fields that libcurl writes.
    private static let framing: Set<String> = ["content-length", "transfer-encoding", "connection", "expect"]

    /// The line of a field; nil if it is not valid (RFC 9110, 5.1 and 5.5).
    package static func line(_ name: String, _ value: String) -> String? {
        guard !name.isEmpty, name.utf8.allSatisfy(isToken), value.utf8.allSatisfy(isText) else { return nil }
        // libcurl sends a field without a value only when it ends in a semicolon.
        return value.isEmpty ? "\(name);" : "\(name): \(value)"
    }

    /// True if libcurl writes the field.
    package static func isFraming(_ name: String) -> Bool {
        framing.contains(name.lowercased())
    }

    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7f || byte == 0x09
    }

    package static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
