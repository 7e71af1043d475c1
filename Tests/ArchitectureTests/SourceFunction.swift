/// A function, an initializer or a computed value, and how many lines it has from its first word to its last brace.
struct SourceFunction: Equatable {
    let name: String
    let lineCount: Int

    static func all(in tokens: [SwiftToken]) -> [SourceFunction] {
        tokens.indices.compactMap { index in
            let keyword = tokens[index].text
            guard ["func", "init", "deinit", "subscript", "var"].contains(keyword),
                index == 0 || tokens[index - 1].text != ".",
                let opening = body(after: index, isValue: keyword == "var", in: tokens),
                let closing = end(of: opening, in: tokens)
            else { return nil }
            let hasName = keyword == "func" || keyword == "var"
            return SourceFunction(
                name: hasName ? tokens[index + 1].text : keyword,
                lineCount: tokens[closing].line - tokens[index].line + 1)
        }
    }

    /// The words with which a declaration without a body is over.
    private static let others: Set = [
        "func", "init", "deinit", "subscript", "var", "let", "case", "struct", "class", "enum", "protocol",
        "extension", "typealias", "associatedtype", "static", "mutating", "private", "package", "public",
        "if", "guard", "for", "while", "switch", "return", "do", "defer",
    ]

    /// The brace with which the body of a declaration begins; nil if it has none.
    private static func body(after index: Int, isValue: Bool, in tokens: [SwiftToken]) -> Int? {
        var depth = 0
        for next in tokens.index(after: index)..<tokens.endIndex {
            switch tokens[next].text {
            case "(", "[": depth += 1
            case ")", "]":
                depth -= 1
                if depth < 0 { return nil }
            case "{" where depth == 0: return next
            case "}" where depth == 0: return nil
            case "=" where depth == 0 && isValue && tokens[next + 1].text != "=": return nil
            case let text where depth == 0 && tokens[next].isWord && others.contains(text): return nil
            default:
                // A value without a body ends with its line.
                if isValue, depth == 0, tokens[next].isWord, tokens[next].line > tokens[next - 1].line { return nil }
            }
        }
        return nil
    }

    private static func end(of opening: Int, in tokens: [SwiftToken]) -> Int? {
        var depth = 0
        for next in opening..<tokens.endIndex {
            if tokens[next].text == "{" { depth += 1 }
            if tokens[next].text == "}" {
                depth -= 1
                if depth == 0 { return next }
            }
        }
        return nil
    }
}
