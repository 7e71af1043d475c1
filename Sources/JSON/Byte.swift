/// The bytes that JSON's grammar names.
@usableFromInline
enum Byte {
    @inlinable static var tab: UInt8 { 0x09 }
    @inlinable static var lineFeed: UInt8 { 0x0A }
    @inlinable static var carriageReturn: UInt8 { 0x0D }
    @inlinable static var space: UInt8 { 0x20 }
    @inlinable static var quote: UInt8 { 0x22 }
    @inlinable static var comma: UInt8 { 0x2C }
    @inlinable static var plus: UInt8 { 0x2B }
    @inlinable static var minus: UInt8 { 0x2D }
    @inlinable static var dot: UInt8 { 0x2E }
    @inlinable static var zero: UInt8 { 0x30 }
    @inlinable static var nine: UInt8 { 0x39 }
    @inlinable static var colon: UInt8 { 0x3A }
    @inlinable static var upperE: UInt8 { 0x45 }
    @inlinable static var openBracket: UInt8 { 0x5B }
    @inlinable static var backslash: UInt8 { 0x5C }
    @inlinable static var closeBracket: UInt8 { 0x5D }
    @inlinable static var lowerE: UInt8 { 0x65 }
    @inlinable static var lowerU: UInt8 { 0x75 }
    @inlinable static var openBrace: UInt8 { 0x7B }
    @inlinable static var closeBrace: UInt8 { 0x7D }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == space || byte == lineFeed || byte == carriageReturn || byte == tab
    }

    /// Whether the byte cannot stand in a JSON string as it is.
    @inlinable
    static func needsEscape(_ byte: UInt8) -> Bool {
        byte < space || byte == quote || byte == backslash
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= zero && byte <= nine
    }
}
