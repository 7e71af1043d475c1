import JSON

/// The key that encrypts the secrets of stored sessions. It is never shown.
public struct SealingKey: Sendable, Hashable {
    /// The number of bytes.
    public static let length = 32

    /// The key itself.
    public let bytes: [UInt8]

    /// - Parameter text: 32 bytes in base64, with padding or without, or in hexadecimal; nil for anything else.
    public init?(_ text: String) {
        let padded = text.utf8.count % 4 == 3 ? text + "=" : text
        guard let bytes = Self.hexadecimal(text) ?? Base64.decode(padded), bytes.count == Self.length else {
            return nil
        }
        self.bytes = bytes
    }

    /// The key in base64.
    var text: String { Base64.encode(bytes) }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count == 2 * length, digits.count == text.utf8.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Secret.mask }
    public var debugDescription: String { Secret.mask }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text that is never shown: printing, dumping and errors show ``mask``.
public struct Secret: Sendable, Hashable {
    public static let mask = "***"

    /// The text itself.
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Self.mask }
    public var debugDescription: String { Self.mask }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
