/// Any JSON value (RFC 8259), without loss.
///
/// A number that is written as a 64-bit integer is stored as `Int`; any other number keeps its text, so nothing is
/// rounded. Strings and member names are compared by code point as RFC 8259 section 8.3 recommends: unlike Swift's `==`
/// on `String`, the composed and decomposed forms of a letter differ. Equality ignores the order of members.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int)
    /// Every other number.
    case number(JSONNumber)
    /// A string, unescaped.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String {
        String(decoding: encoded(), as: UTF8.self)
    }
}

extension JSONValue {
    /// Whether the value is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The boolean; nil for any other value.
    public var asBool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value of a whole number, even if it was written as `1.0` or `1e2`; nil if it does not fit 64 bits.
    public var asInteger: Int? {
        switch self {
        case .integer(let value): value
        case .number(let number): number.exactInteger
        default: nil
        }
    }

    /// The nearest `Double`; nil if the value is no number, or one that overflows.
    public var asNumber: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let number): number.double
        default: nil
        }
    }

    /// The string; nil for any other value.
    public var asString: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements; nil if this is not an array.
    public var asArray: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members; nil if this is not an object.
    public var asObject: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }
}

extension JSONValue: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self = .integer(value)
    }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// A literal that overflows `Double` becomes `null`.
    public init(floatLiteral value: Double) {
        self = JSONNumber(value).map(JSONValue.number) ?? .null
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// If a name occurs twice, the object keeps the place of the first member and the value of the last.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}

extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): CodePointString(left) == CodePointString(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let number): hasher.combine(number)
        case .string(let text): hasher.combine(CodePointString(text))
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

/// A string that is compared by its bytes. Swift's `String` compares by canonical equivalence, JSON by code point.
struct CodePointString: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        return text.utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).hasSameBytes(as: bytes) }
            ?? text.utf8.elementsEqual(bytes)
    }
}

extension CodePointString: Hashable {
    static func == (left: CodePointString, right: CodePointString) -> Bool {
        // A short text is in the words of its `String`, so most names that are equal need no look at their bytes.
        typealias Words = (UInt64, UInt64)
        if unsafeBitCast(left.text, to: Words.self) == unsafeBitCast(right.text, to: Words.self) { return true }
        guard left.text.utf8.count == right.text.utf8.count else { return false }
        return right.text.utf8.withContiguousStorageIfAvailable { left.matches(UnsafeRawBufferPointer($0)) }
            ?? left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil {
            Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }
}

extension CodePointString: Comparable {
    /// The order of Swift. Texts that it holds for equal are in the order of their bytes.
    static func < (left: CodePointString, right: CodePointString) -> Bool {
        left.text < right.text
            || left.text == right.text && left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension UnsafeRawBufferPointer {
    /// Both buffers must have the same length.
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= count {
            let left = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard left == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < count {
            guard self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}
