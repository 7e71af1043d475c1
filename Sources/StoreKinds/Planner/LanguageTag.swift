import JSON

/// The syntax of well-formed language tags: `Language-Tag` of RFC 5646 (BCP 47), section 2.1.
package enum LanguageTag {
    /// Whether `text` is a well-formed tag, case-insensitive. Takes linear time.
    package static func isWellFormed(_ text: String) -> Bool {
        let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            .map(Subtag.init)
        if irregular.contains(text.lowercased()) { return true }
        var rest = subtags[...]
        if !subtags[0].isPrivateMark {
            guard takeLanguage(&rest) else { return false }
            rest.take { $0.isAlphabetic(4...4) }
            rest.take { $0.isAlphabetic(2...2) || $0.isNumeric(3) }
            while rest.take(\.isVariant) {}
            while rest.first?.isSingleton == true {
                rest.removeFirst()
                guard rest.take({ $0.isAlphanumeric(2...8) }) else { return false }
                while rest.take({ $0.isAlphanumeric(2...8) }) {}
            }
        }
        return rest.isEmpty || isPrivateUse(rest)
    }

    /// Reads a language of two or three letters with up to three extensions, or one of four to eight letters.
    private static func takeLanguage(_ rest: inout ArraySlice<Subtag>) -> Bool {
        if rest.take({ $0.isAlphabetic(4...8) }) { return true }
        guard rest.take({ $0.isAlphabetic(2...3) }) else { return false }
        for _ in 1...3 where rest.first?.isAlphabetic(3...3) == true { rest.removeFirst() }
        return true
    }

    private static func isPrivateUse(_ subtags: ArraySlice<Subtag>) -> Bool {
        subtags.count > 1 && subtags.first?.isPrivateMark == true
            && subtags.dropFirst().allSatisfy { $0.isAlphanumeric(1...8) }
    }

    /// Grandfathered tags, which do not follow the grammar.
    static let irregular: Set = [
        "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux", "i-mingo", "i-navajo",
        "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl", "sgn-ch-de",
    ]
}

extension ArraySlice<Subtag> {
    /// Removes and returns whether the first subtag matches.
    @discardableResult
    fileprivate mutating func take(_ isWanted: (Subtag) -> Bool) -> Bool {
        guard let first, isWanted(first) else { return false }
        removeFirst()
        return true
    }
}

/// The part between two hyphens.
private struct Subtag {
    private let length: Int
    private let letters: Int
    private let digits: Int
    private let first: UInt8

    init(_ bytes: Substring.UTF8View) {
        length = bytes.count
        letters = bytes.count { Self.isLetter($0) }
        digits = bytes.count { Self.isDigit($0) }
        first = bytes.first ?? 0
    }

    func isAlphabetic(_ lengths: ClosedRange<Int>) -> Bool { letters == length && lengths.contains(length) }
    func isNumeric(_ length: Int) -> Bool { digits == self.length && length == self.length }
    func isAlphanumeric(_ lengths: ClosedRange<Int>) -> Bool {
        letters + digits == length && lengths.contains(length)
    }

    var isVariant: Bool { isAlphanumeric(5...8) || isAlphanumeric(4...4) && Self.isDigit(first) }
    var isSingleton: Bool { isAlphanumeric(1...1) && !isPrivateMark }
    var isPrivateMark: Bool { length == 1 && first | 0x20 == UInt8(ascii: "x") }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

extension JSONSchema {
    /// A language tag (BCP 47).
    static var languageTag: JSONSchema {
        .string(
            minLength: 1, maxLength: 255,
            pattern: Pattern(
                LanguageTag.expression, phrase: "a language tag (BCP 47) such as en or pt-BR",
                matches: LanguageTag.isWellFormed))
    }
}

extension LanguageTag {
    /// The grammar of a language tag as a regular expression (ECMA-262), for the JSON Schema.
    package static var expression: String {
        let language = "(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})"
        let script = "(?:-[A-Za-z]{4})?"
        let region = "(?:-(?:[A-Za-z]{2}|[0-9]{3}))?"
        let variants = "(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*"
        let extensions = "(?:-[0-9A-WYZa-wyz](?:-[A-Za-z0-9]{2,8})+)*"
        let privateUse = "[Xx](?:-[A-Za-z0-9]{1,8})+"
        let regular = language + script + region + variants + extensions + "(?:-\(privateUse))?"
        return "^(?:" + ([regular, privateUse] + irregular.sorted().map(inAnyCase)).joined(separator: "|") + ")$"
    }

    private static func inAnyCase(_ tag: String) -> String {
        tag.map { $0.isLetter ? "[\($0.uppercased())\($0)]" : "\($0)" }.joined()
    }
}
