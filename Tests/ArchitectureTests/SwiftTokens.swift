/// A word, or another character of Swift code.
struct SwiftToken: Equatable {
    /// A name, a keyword or a number; else one character.
    let text: String
    /// Counts from 1.
    let line: Int
    let isWord: Bool
}

/// Splits a file into the tokens of its code. Comments are no code, nor are texts, except for the code in them.
struct SwiftTokens {
    private let bytes: [UInt8]
    private var at = 0
    private var line = 1
    private var tokens: [SwiftToken] = []

    static func all(of source: [UInt8]) -> [SwiftToken] {
        var tokens = SwiftTokens(bytes: source)
        tokens.readCode()
        return tokens.tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ offset: Int = 0) -> UInt8 { at + offset < bytes.count ? bytes[at + offset] : 0 }

    /// Reads to the end of the file, or of the code in a text.
    private mutating func readCode(inText: Bool = false) {
        var depth = 0
        while at < bytes.count {
            let byte = byte()
            if Self.isWord(byte) {
                readWord()
            } else if byte == Self.slash, self.byte(1) == Self.slash {
                while at < bytes.count, self.byte() != Self.newline { at += 1 }
            } else if byte == Self.slash, self.byte(1) == Self.star {
                skipComment()
            } else if let hashes = hashesBeforeQuote {
                readText(hashes: hashes)
            } else {
                if byte == Self.opening { depth += 1 }
                if byte == Self.closing {
                    depth -= 1
                    if inText, depth < 0 { return }
                }
                readMark(byte)
            }
        }
    }

    private mutating func readWord() {
        let start = at
        while Self.isWord(byte()) { at += 1 }
        tokens.append(SwiftToken(text: String(decoding: bytes[start..<at], as: UTF8.self), line: line, isWord: true))
    }

    /// Reads a character that is not part of a word. The backticks around a name mean nothing here.
    private mutating func readMark(_ byte: UInt8) {
        at += 1
        if byte == Self.newline { line += 1 }
        guard byte > UInt8(ascii: " "), byte != UInt8(ascii: "`") else { return }
        tokens.append(SwiftToken(text: String(UnicodeScalar(byte)), line: line, isWord: false))
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if byte() == Self.slash, byte(1) == Self.star {
                depth += 1
                at += 2
            } else if byte() == Self.star, byte(1) == Self.slash {
                depth -= 1
                at += 2
            } else {
                if byte() == Self.newline { line += 1 }
                at += 1
            }
        } while depth > 0 && at < bytes.count
    }
}

// MARK: Texts

extension SwiftTokens {
    /// How many number signs stand before the quotation mark that begins here; nil if no text begins here.
    private var hashesBeforeQuote: Int? {
        var count = 0
        while byte(count) == Self.hash { count += 1 }
        return byte(count) == Self.quote ? count : nil
    }

    private mutating func readText(hashes: Int) {
        at += hashes
        let quotes = byte(1) == Self.quote && byte(2) == Self.quote ? 3 : 1
        at += quotes
        while at < bytes.count {
            if isEnd(quotes: quotes, hashes: hashes) {
                at += quotes + hashes
                return
            } else if byte() == Self.backslash, isEscape(hashes) {
                at += hashes + 1
                if byte() == Self.opening {
                    at += 1
                    readCode(inText: true)
                }
                if byte() == Self.newline { line += 1 }
                at += 1
            } else {
                if byte() == Self.newline { line += 1 }
                at += 1
            }
        }
    }

    private func isEnd(quotes: Int, hashes: Int) -> Bool {
        for offset in 0..<quotes where byte(offset) != Self.quote { return false }
        for offset in 0..<hashes where byte(quotes + offset) != Self.hash { return false }
        return true
    }

    private func isEscape(_ hashes: Int) -> Bool {
        for offset in 0..<hashes where byte(1 + offset) != Self.hash { return false }
        return true
    }
}

// MARK: Bytes

extension SwiftTokens {
    private static let newline = UInt8(ascii: "\n")
    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
    private static let hash = UInt8(ascii: "#")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let opening = UInt8(ascii: "(")
    private static let closing = UInt8(ascii: ")")

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
            true
        default: false
        }
    }
}
