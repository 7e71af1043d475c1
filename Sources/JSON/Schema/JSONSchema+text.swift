extension JSONSchema {
    /// What a string's length counts.
    public enum TextUnit: Sendable, Hashable {
        /// Unicode code points, as JSON Schema counts.
        case scalars
        /// Grapheme clusters: what a person calls a character.
        case characters
    }

    /// A regular expression for readers of the schema, with the function that decides the same here.
    public struct Pattern: Sendable {
        /// In the dialect of ECMA-262, as JSON Schema wants.
        public let expression: String
        /// What a string that matches is, in words for people: `a language tag such as "en"`.
        public let phrase: String?
        /// Whether a string matches.
        public let matches: @Sendable (String) -> Bool

        /// A pattern that `matches` decides.
        ///
        /// - Parameters:
        ///   - expression: in the dialect of ECMA-262, as JSON Schema wants.
        ///   - phrase: what a string that matches is; without one, refusals show the expression.
        ///   - matches: whether a string matches; must take time linear in the string.
        public init(_ expression: String, phrase: String? = nil, matches: @escaping @Sendable (String) -> Bool) {
            self.expression = expression
            self.phrase = phrase
            self.matches = matches
        }
    }

    /// A format that is checked, not only noted.
    public enum Format: String, Sendable, Hashable {
        /// `YYYY-MM-DD` (RFC 3339 full-date), a day that the calendar has.
        case date
    }

    struct TextRules: Sendable {
        let length: ItemCount
        let unit: TextUnit
        let pattern: Pattern?
        let format: Format?

        func hasAllowedLength(_ text: String) -> Bool {
            switch unit {
            case .scalars: length.contains(text.unicodeScalars.count)
            case .characters: length.contains(text.count)
            }
        }
    }
}

extension JSONSchema.Format {
    func accepts(_ text: String) -> Bool {
        switch self {
        case .date: Self.isDate(Array(text.utf8.prefix(11)))
        }
    }

    private static func isDate(_ text: [UInt8]) -> Bool {
        guard text.count == 10, text[4] == Byte.minus, text[7] == Byte.minus,
            let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10])
        else { return false }
        return day >= 1 && day <= days(inMonth: month, of: year)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(Byte.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - Byte.zero) }
    }

    /// In the Gregorian calendar; a month that there is not has no days.
    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        case 1...12: 31
        default: 0
        }
    }
}
