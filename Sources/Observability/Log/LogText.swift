extension String {
    /// The text with `\u{…}` for characters that could end a line, move a cursor or change the direction of writing, and
    /// with two backslashes for one.
    package var escapedForOneLine: String {
        guard unicodeScalars.contains(where: \.needsEscape) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\n": text += "\\n"
            case "\\": text += "\\\\"
            case _ where scalar.needsEscape: text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The text as the value of `name=value`, in quotes unless it is one plain word.
    var quotedIfNeeded: String {
        let isPlain = !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"=\\".utf8.contains($0) }
        guard !isPlain else { return self }
        let escaped = escapedForOneLine.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + escaped.joined(separator: "\\\"") + "\""
    }

    /// The first `length` bytes of the text, without a divided character and with an ellipsis if there are more.
    package func shortened(to length: Int) -> String {
        guard utf8.count > length else { return self }
        var end = utf8.index(startIndex, offsetBy: length)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return self[..<end] + "…"
    }
}

extension LogField {
    /// True for a text of more than `length` bytes.
    func isLonger(than length: Int) -> Bool {
        if case .text(let text) = value { text.utf8.count > length } else { false }
    }

    func shortened(to length: Int) -> LogField {
        guard case .text(let text) = value else { return self }
        return LogField(name, text.shortened(to: length))
    }
}

extension Unicode.Scalar {
    fileprivate var needsEscape: Bool {
        switch value {
        case 0x20..<0x5C, 0x5D..<0x7F: false
        case 0x5C, 0..<0xA0: true
        default: [.format, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
        }
    }
}
