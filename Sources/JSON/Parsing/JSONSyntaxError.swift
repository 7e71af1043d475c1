/// Why bytes are not JSON, and where.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Kind: Sendable, Hashable {
        /// There is nothing, or nothing but white space.
        case empty
        /// The text starts with a byte order mark, which RFC 8259 section 8.1 forbids to senders.
        case byteOrderMark
        /// The text ends within a value.
        case unexpectedEnd
        /// This byte cannot stand where it stands.
        case unexpectedByte(UInt8)
        /// A number is none of JSON's, as `01` or `1.`.
        case invalidNumber
        /// A control character stands in a string without an escape.
        case controlCharacter
        /// A backslash in a string is followed by what JSON does not know.
        case invalidEscape
        /// Half of a surrogate pair is escaped without the other half.
        case loneSurrogate
        /// A string is not UTF-8.
        case invalidUTF8
        /// An object has a member name twice.
        case duplicateName
        /// Objects and arrays are nested beyond the limit.
        case tooDeep
        /// Something follows the value.
        case trailingBytes
    }

    /// What is wrong.
    public let kind: Kind
    /// Where it went wrong, counted in bytes from 0.
    public let offset: Int

    package init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// A sentence for people, with the byte offset.
    public var description: String {
        "\(kind.sentence) at byte \(offset)."
    }
}

extension JSONSyntaxError.Kind {
    fileprivate var sentence: String {
        switch self {
        case .empty: "There is no JSON value"
        case .byteOrderMark: "JSON must not start with a byte order mark"
        case .unexpectedEnd: "The JSON ends too early"
        case .unexpectedByte(let byte): "Unexpected \(Self.name(of: byte))"
        case .invalidNumber: "A number is malformed"
        case .controlCharacter: "A control character in a string is not escaped"
        case .invalidEscape: "A string has an escape that JSON does not know"
        case .loneSurrogate: "A string has half of a surrogate pair"
        case .invalidUTF8: "A string is not UTF-8"
        case .duplicateName: "An object has a member name twice"
        case .tooDeep: "Objects and arrays are nested too deep"
        case .trailingBytes: "Something follows the JSON value"
        }
    }

    private static func name(of byte: UInt8) -> String {
        switch byte {
        case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
        default: "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
