/// The words and texts of generated Swift.
enum SwiftNames {
    /// Types of the standard library that generated code uses, and those that it declares itself.
    static let types: Set<String> = [
        "Action", "Any", "Array", "Bool", "CaseIterable", "Codable", "CodingKey", "CodingKeys", "Decoder",
        "DecodingError",
        "Double", "Encoder", "Hashable", "Int", "JSON", "Never", "Nullable", "Protocol", "Self", "Sendable", "State",
        "String", "Type",
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

    static func enumeration(_ name: String, _ choices: [String]) -> String {
        var names = IdentifierNames(reserved: members)
        let cases = choices.map { choice -> String in
            let name = names.memberName(choice)
            return "    case \(name)" + (name == choice ? "" : " = \(quoted(choice))")
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

/// The types that generated code needs where a schema allows `null`, or anything.
enum SwiftSupport {
    static let nullable = """
        /// A value that may be `null`, which is not the same as a missing member.
        public enum Nullable<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
            case null
            case value(Value)

            public init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                self = container.decodeNil() ? .null : .value(try container.decode(Value.self))
            }

            public func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .null: try container.encodeNil()
                case .value(let value): try container.encode(value)
                }
            }
        }
        """

    static let json = """
        /// Any JSON value.
        public indirect enum JSON: Codable, Hashable, Sendable {
            case null
            case bool(Bool)
            case integer(Int)
            case number(Double)
            case string(String)
            case array([JSON])
            case object([String: JSON])

            public init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if container.decodeNil() {
                    self = .null
                } else if let value = try? container.decode(Bool.self) {
                    self = .bool(value)
                } else if let value = try? container.decode(Int.self) {
                    self = .integer(value)
                } else if let value = try? container.decode(Double.self) {
                    self = .number(value)
                } else if let value = try? container.decode(String.self) {
                    self = .string(value)
                } else if let value = try? container.decode([JSON].self) {
                    self = .array(value)
                } else {
                    self = .object(try container.decode([String: JSON].self))
                }
            }

            public func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .null: try container.encodeNil()
                case .bool(let value): try container.encode(value)
                case .integer(let value): try container.encode(value)
                case .number(let value): try container.encode(value)
                case .string(let value): try container.encode(value)
                case .array(let value): try container.encode(value)
                case .object(let value): try container.encode(value)
                }
            }
        }
        """
}
