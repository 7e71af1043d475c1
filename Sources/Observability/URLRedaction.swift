// Texts that people read, such as errors and log lines, show no user and no password of a URL.

extension String {
    /// The text with `***` in place of the user and the password of each URL in it, also of one that is written wrongly.
    package var withoutUserInfo: String {
        guard utf8.contains(UInt8(ascii: "@")) else { return self }
        var (text, rest) = ("", self[...])
        while let separator = rest.firstRange(of: "://") {
            text += rest[..<separator.upperBound]
            rest = rest[separator.upperBound...]
            guard let at = Self.endOfUserInfo(rest) else { continue }
            text += "***"
            rest = rest[at...]
        }
        return text + rest
    }

    /// The `@` behind a user and a password with which a text begins; nil if it does not begin with them.
    private static func endOfUserInfo(_ text: Substring) -> Substring.Index? {
        let authority = text.prefix { !$0.isWhitespace && !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@") { return at }
        // A password may have characters that a URL cannot have there. A port has digits only.
        guard let colon = authority.lastIndex(of: ":"), !authority.hasPrefix("["),
            !authority[authority.index(after: colon)...].allSatisfy({ $0.isNumber || "'\",;)]}".contains($0) })
        else { return nil }
        let word = text.prefix { !$0.isWhitespace }
        return word.lastIndex(of: "@") ?? text.firstIndex(of: "@")
    }
}
