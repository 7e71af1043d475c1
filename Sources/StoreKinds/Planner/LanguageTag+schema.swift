import JSON

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
    /// The same grammar as a regular expression (ECMA-262).
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
