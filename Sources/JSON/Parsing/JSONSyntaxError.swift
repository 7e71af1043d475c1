/// Why bytes are not JSON, and at which offset.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    /// The kinds of syntax errors.
    package enum Kind: Sendable, Hashable {
        /// The text is empty or white space only.
        case empty
        /// The text starts with a byte order mark, which RFC 8259 section 8.1 forbids to senders.
        case byteOrderMark
        /// The text ends within a value.
        case unexpectedEnd
        /// The grammar does not allow this byte here.
        case unexpectedByte(UInt8)
        /// A number is malformed, such as `01` or `1.`.
        case invalidNumber
        /// A string contains an unescaped control character.
        case controlCharacter
        /// A string contains an escape that JSON does not define.
        case invalidEscape
        /// A string contains an escaped surrogate without its pair.
        case loneSurrogate
        /// A string is not valid UTF-8.
        case invalidUTF8
        /// An object has two members of the same name.
        case duplicateName
        /// Objects and arrays are nested beyond the limit.
        case tooDeep
        /// The value is followed by more than white space.
        case trailingBytes
    }

    /// The kind of the error.
    package let kind: Kind
    /// The offset of the error in bytes, from 0.
    package let offset: Int

    package init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// A sentence for people, with the byte offset.
    public var description: String {
        "\(kind) at byte \(offset)."
    }
}

extension JSONSyntaxError.Kind: CustomStringConvertible {
    /// A sentence for people, without the place and the full stop.
    package var description: String {
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
        case .tooDeep: "Objects and arrays are nested too deeply"
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
