/// The words and texts of generated Swift.
enum SwiftNames {
    /// Types of the standard library that generated code uses, and those that it declares itself.
    static let types: Set<String> = [
        "Action", "Any", "Array", "Bool", "CaseIterable", "Codable", "CodingKey", "CodingKeys", "Decoder",
        "DecodingError",
        "Double", "Encoder", "Hashable", "Int", "JSON", "Never", "Nullable", "Protocol", "Self", "Sendable", "State",
        "String", "Type",
    ]

    /// Types that stand beside the state.
    static let messages: Set<String> = [
        "Answer", "ClosedEvent", "EffectEvent", "EventName", "PatchEvent", "PatchOperation", "Problem", "ProblemCode",
        "ReadyEvent", "Reason", "Selector", "StateEvent",
    ]

    /// Members that every generated structure has, and words that cannot be members even in backticks.
    static let members: Set<String> = ["hashValue", "init", "self", "Self", "Type", "Protocol"]

    private static let keywords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import",
        "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
        "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A text as a literal: JSON's, without its escapes that Swift does not have.
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || !scalar.isASCII:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// A documentation comment with its line break; empty for no text.
    static func comment(_ text: String) -> String {
        text.isEmpty ? "" : "/// \(text.split(whereSeparator: \.isNewline).joined(separator: " "))\n"
    }

    static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    }

    /// - Parameter summaries: the texts of the choices that have one.
    static func enumeration(_ name: String, _ choices: [String], _ summaries: [String: String] = [:]) -> String {
        var names = IdentifierNames(reserved: members)
        let cases = choices.map { choice -> String in
            let name = names.memberName(choice)
            let line = "case \(name)" + (name == choice ? "" : " = \(quoted(choice))")
            return indented(comment(summaries[choice] ?? "") + line)
        }
        return (["public enum \(name): String, Codable, Hashable, Sendable, CaseIterable {"] + cases + ["}"])
            .joined(separator: "\n")
    }
}

extension IdentifierNames {
    /// The name of a member or a case: the text itself if it can be one.
    mutating func memberName(_ text: String) -> String {
        let isIdentifier =
            text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & 0xDF) || $0 == 95 }
            && text.utf8.contains { (65...90).contains($0 & 0xDF) } && text.first?.isNumber == false
        if isIdentifier, take(text) { return SwiftNames.escaped(text) }
        return SwiftNames.escaped(name(text, isType: false))
    }
}

/// The types that all kinds have.
enum SwiftSupport {
    static let nullable = Template.text(PackageResources.Nullable_swift)
    static let json = Template.text(PackageResources.JSON_swift)
    /// The answers, problems and events of every kind.
    static let messages = Template.text(PackageResources.Messages_swift)
}
