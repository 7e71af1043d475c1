/// The way to one value inside a JSON document (RFC 6901).
///
/// Pointers are equal when their tokens are, compared by code point.
public struct JSONPointer: Sendable {
    /// Points at the whole document.
    public static let root = JSONPointer(tokens: [])

    /// The names and indices to follow, from the top, without escapes.
    public let tokens: [String]

    /// Takes the tokens as they are, without escapes.
    public init(tokens: [String]) {
        self.tokens = tokens
    }

    /// Reads the text form: empty for the whole document, else `/` before each token, where `~0` is `~` and `~1` is `/`.
    public init(_ text: String) throws(JSONPointerError) {
        guard let first = text.utf8.first else {
            self = .root
            return
        }
        guard first == Self.slash else { throw .missingLeadingSlash }
        var tokens: [String] = []
        for token in text.utf8.dropFirst().split(separator: Self.slash, omittingEmptySubsequences: false) {
            tokens.append(token.contains(Self.tilde) ? try Self.unescape(token, of: text) : String(Substring(token)))
        }
        self.tokens = tokens
    }

    /// The pointer to a member of the object that this one points at.
    public func appending(_ name: String) -> JSONPointer {
        JSONPointer(tokens: tokens + [name])
    }

    /// The pointer to an element of the array that this one points at.
    public func appending(_ index: Int) -> JSONPointer {
        appending(String(index))
    }

    /// The value pointed at; nil where there is none.
    public func value(in document: JSONValue) -> JSONValue? {
        var value = document
        for token in tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return nil }
                value = member
            case .array(let elements):
                guard let index = Self.index(token), index < elements.count else { return nil }
                value = elements[index]
            default:
                return nil
            }
        }
        return value
    }

    /// The token as an array index: digits without leading zeros. `-`, the place behind the last element, is none, nor
    /// is a number beyond 64 bits.
    static func index(_ token: String) -> Int? {
        let digits = token.utf8
        guard let first = digits.first, digits.allSatisfy(Byte.isDigit), first != Byte.zero || digits.count == 1 else {
            return nil
        }
        return Int(token)
    }

    private static let slash = UInt8(ascii: "/")
    private static let tilde = UInt8(ascii: "~")

    private static func unescape(_ token: Substring.UTF8View, of text: String) throws(JSONPointerError) -> String {
        var bytes: [UInt8] = []
        var position = token.startIndex
        while position < token.endIndex {
            let next = token.index(after: position)
            if token[position] != tilde {
                bytes.append(token[position])
                position = next
            } else if next < token.endIndex, let meaning = meaning(ofEscape: token[next]) {
                bytes.append(meaning)
                position = token.index(after: next)
            } else {
                throw .invalidEscape(offset: text.utf8.distance(from: text.startIndex, to: position))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func meaning(ofEscape digit: UInt8) -> UInt8? {
        switch digit {
        case Byte.zero: tilde
        case Byte.zero + 1: slash
        default: nil
        }
    }
}

extension JSONPointer: Hashable {
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.elementsEqual(right.tokens) { CodePointString($0) == CodePointString($1) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(tokens.count)
        for token in tokens {
            hasher.combine(CodePointString(token))
        }
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The text form.
    public var description: String {
        var bytes: [UInt8] = []
        for token in tokens {
            bytes.append(Self.slash)
            for byte in token.utf8 {
                switch byte {
                case Self.tilde: bytes += [Self.tilde, Byte.zero]
                case Self.slash: bytes += [Self.tilde, Byte.zero + 1]
                default: bytes.append(byte)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONPointer: JSONEncodable {
    public func encode(into json: inout JSONWriter) {
        json.string(description)
    }
}

extension JSONPointer {
    /// Where the bytes of the value pointed at stand; nil where there is none.
    ///
    /// It skims encoded JSON once, up to the end of the value, and builds nothing. Any bytes are safe to skim; where they
    /// are not JSON the answer is nil, unless the fault lies where the skimming does not look.
    public func range(in json: [UInt8]) -> Range<Int>? {
        json.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var skimmer = JSONScanner(start: start, count: buffer.count)
            for token in tokens {
                guard skimmer.enter(token) else { return nil }
            }
            return skimmer.skipValue()
        }
    }
}

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
