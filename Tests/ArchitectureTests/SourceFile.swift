import Foundation

/// A file of a target of `Sources`, as the rules see it.
struct SourceFile {
    /// The path below `Sources`.
    let path: String
    let lineCount: Int
    let tokens: [SwiftToken]
    /// The types, functions and values at the top level that other files of the target can name.
    let declared: Set<String>
    /// The names that the code uses. A name behind a dot does not count, because it is that of a member, nor does the name that a
    /// declaration gives.
    let named: Set<String>

    var target: String { String(path.prefix { $0 != "/" }) }

    /// The path of its folder below `Sources`.
    var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

    init(path: String, source: String) {
        let source = Array(source.utf8)
        self.path = path
        lineCount = source.count { $0 == UInt8(ascii: "\n") }
        tokens = SwiftTokens.all(of: source)
        declared = Self.declared(in: tokens)
        var named: Set<String> = []
        var isUse = true
        for token in tokens {
            if token.isWord, isUse { named.insert(token.text) }
            isUse = token.text != "." && !Self.keywords.contains(token.text)
        }
        self.named = named
    }

    /// The words with which declarations begin.
    private static let keywords: Set = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "func", "let", "var",
    ]

    private static func declared(in tokens: [SwiftToken]) -> Set<String> {
        var names: Set<String> = []
        var depth = 0
        var isPrivate = false
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "{", "(", "[": depth += 1
            case "}", ")", "]":
                depth -= 1
                if depth == 0, token.text == "}" { isPrivate = false }
            case "private" where depth == 0, "fileprivate" where depth == 0: isPrivate = true
            case "extension" where depth == 0: isPrivate = false
            default:
                guard depth == 0, Self.keywords.contains(token.text), index + 1 < tokens.count else { continue }
                let name = tokens[index + 1]
                guard name.isWord, index == 0 || tokens[index - 1].text != "." else { continue }
                if !isPrivate { names.insert(name.text) }
                isPrivate = false
            }
        }
        return names
    }
}

extension SourceFile {
    /// All files of the targets. The templates of generated files are resources.
    static func all() throws -> [SourceFile] {
        let root = projectURL(of: "Sources")
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return try paths.sorted().filter { $0.hasSuffix(".swift") && !$0.contains("/Templates/") }.map { path in
            SourceFile(path: path, source: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }

    static func projectURL(of path: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: path)
    }
}
