/// A JSON Pointer (RFC 6901): the path to one value inside a document.
///
/// Equality compares the tokens by code point.
@usableFromInline
package struct JSONPointer: Sendable {
    /// The pointer to the whole document.
    @usableFromInline
    package static let root = JSONPointer(tokens: [])

    /// Member names and indices from the root, unescaped.
    package let tokens: [String]

    /// A pointer of these tokens, which are not escaped.
    package init(tokens: [String]) {
        self.tokens = tokens
    }

    /// Parses the text form: `/` before each token, in which `~0` stands for `~` and `~1` for `/`. The empty text is
    /// the root.
    package init(_ text: String) throws(JSONPointerError) {
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

    /// The pointer to a member of the object at this pointer.
    package func appending(_ name: String) -> JSONPointer {
        JSONPointer(tokens: tokens + [name])
    }

    /// The pointer to an element of the array at this pointer.
    package func appending(_ index: Int) -> JSONPointer {
        appending(String(index))
    }

    /// The value at this pointer; nil if there is none.
    package func value(in document: JSONValue) -> JSONValue? {
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

    /// The token as an array index: digits without leading zeros. Nil for `-`, which stands for the end of the array,
    /// and for numbers that do not fit 64 bits.
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
    @usableFromInline
    package static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.elementsEqual(right.tokens) { CodePointString($0) == CodePointString($1) }
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        hasher.combine(tokens.count)
        for token in tokens {
            hasher.combine(CodePointString(token))
        }
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The text form.
    @usableFromInline
    package var description: String {
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
    @usableFromInline
    package func encode(into json: inout JSONWriter) {
        json.string(description)
    }
}

extension JSONPointer {
    /// The range of the value's bytes in encoded JSON; nil if there is no value at this pointer.
    ///
    /// Scans the bytes once, up to the end of the value, and allocates nothing. Any input is safe. The scan does not
    /// validate values that it skips: invalid JSON gives nil only if the scan notices the error.
    package func range(in json: [UInt8]) -> Range<Int>? {
        json.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var scanner = JSONScanner(start: start, count: buffer.count)
            for token in tokens {
                guard scanner.enter(token) else { return nil }
            }
            return scanner.skipValue()
        }
    }
}

/// Why a text is not a JSON Pointer.
package enum JSONPointerError: Error, Sendable, Hashable {
    /// The text is neither empty nor starts with a slash (RFC 6901 section 3).
    case missingLeadingSlash
    /// A `~` is followed by neither `0` nor `1`. The offset is in bytes, from 0.
    case invalidEscape(offset: Int)
}

extension JSONPointerError: CustomStringConvertible {
    /// A sentence for people.
    package var description: String {
        switch self {
        case .missingLeadingSlash:
            "A JSON Pointer must be empty or start with '/'."
        case .invalidEscape(let offset):
            "The '~' at byte \(offset) of a JSON Pointer must be followed by '0' or '1'."
        }
    }
}
