// How a terminal shows texts that others have written. Characters that could end a line, move a cursor or change the direction
// of writing are escaped: the controls of ASCII and of ISO 8859 (C0 and C1), the format characters of Unicode, and its separators of
// lines and paragraphs.

extension String {
    /// The text in one line, with `\u{…}` for such characters, and with two backslashes for one.
    package var escapedForOneLine: String {
        escaped(
            where: { $0 == "\\" || $0.isUnsafeInTerminal }, by: { $0 == "\\" ? "\\\\" : $0.escapedInText })
    }

    /// Leaves backslashes as they are, for texts with JSON in them.
    package var escapedForTerminal: String { escaped(where: \.isUnsafeInTerminal, by: \.escapedInText) }

    /// The text with `\uXXXX` for such characters but line breaks and tabs: for text of several lines, and for JSON, whose value stays
    /// as it is.
    package var escapedLikeJSON: String {
        escaped(where: { $0.isUnsafeInTerminal && $0 != "\n" && $0 != "\t" }, by: \.escapedInJSON)
    }

    private func escaped(
        where needsEscape: (Unicode.Scalar) -> Bool, by escape: (Unicode.Scalar) -> String
    ) -> String {
        guard unicodeScalars.contains(where: needsEscape) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if needsEscape(scalar) { text += escape(scalar) } else { text.unicodeScalars.append(scalar) }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isUnsafeInTerminal: Bool {
        switch value {
        case 0x20..<0x7F: false
        case 0..<0xA0: true
        default: [.format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
        }
    }

    fileprivate var escapedInText: String { self == "\n" ? "\\n" : "\\u{\(String(value, radix: 16))}" }

    fileprivate var escapedInJSON: String {
        String(self).utf16.reduce(into: "") { text, unit in
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
