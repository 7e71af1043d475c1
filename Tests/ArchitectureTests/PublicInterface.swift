import Foundation

/// The public declarations in `Sources`.
struct PublicInterface {
    /// The number of public declarations. Unavailable ones do not count: they are only messages of the compiler.
    let count: Int
    /// The top-level names that `import Storehouse` brings.
    let names: Set<String>

    /// The most public declarations. About 80 of them are for who acts, about 80 are those of the client, and about 30 those for its tests.
    static let maxCount = 911
    /// The most names that `import Storehouse` brings.
    static let maxNames = 55

    /// - Parameter module: the module that is imported.
    init(files: [SourceFile], importing module: String = "Storehouse") {
        count = files.reduce(0) { $0 + Self.declarations(in: $1.tokens) }
        var modules: Set<String> = []
        var names: Set<String> = []
        var open = [module]
        while let module = open.popLast() {
            guard modules.insert(module).inserted else { continue }
            for file in files where file.target == module {
                names.formUnion(Self.topLevelNames(in: file.tokens))
                let exports = Self.exports(in: file.tokens)
                open += exports.modules
                names.formUnion(exports.names)
            }
        }
        self.names = names
    }

    private static func declarations(in tokens: [SwiftToken]) -> Int {
        var count = 0
        var isUnavailable = false
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "unavailable" where index > 0 && tokens[index - 1].text == ",": isUnavailable = true
            case "public" where !isImport(after: index, in: tokens):
                if !isUnavailable { count += 1 }
                isUnavailable = false
            default: break
            }
        }
        return count
    }

    private static func isImport(after index: Int, in tokens: [SwiftToken]) -> Bool {
        index + 1 < tokens.count && tokens[index + 1].text == "import"
    }

    /// The names of the public declarations that are in no other.
    private static func topLevelNames(in tokens: [SwiftToken]) -> Set<String> {
        var names: Set<String> = []
        var depth = 0
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "{", "(", "[": depth += 1
            case "}", ")", "]": depth -= 1
            case "public" where depth == 0 && !isImport(after: index, in: tokens):
                let keyword = tokens[index...].firstIndex { keywords.contains($0.text) }
                guard let keyword, keyword + 1 < tokens.count else { continue }
                names.insert(tokens[keyword + 1].text)
            default: break
            }
        }
        return names
    }

    private static let keywords: Set = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "func", "let", "var",
    ]

    /// The modules that a file exports as a whole, and the single names that it exports of others.
    private static func exports(in tokens: [SwiftToken]) -> (modules: [String], names: [String]) {
        var (modules, names): ([String], [String]) = ([], [])
        for index in tokens.indices where tokens[index].text == "_exported" {
            let words = tokens[index...].drop { $0.text != "import" }.dropFirst().prefix(4).map(\.text)
            guard let first = words.first else { continue }
            if keywords.contains(first), words.count == 4 {
                names.append(words[3])
            } else {
                modules.append(first)
            }
        }
        return (modules, names)
    }
}

/// The list of the names that `import Storehouse` brings, with the page of the documentation that has each: `public-names.txt`.
enum DocumentedNames {
    /// The pages by names.
    static func read() throws -> [String: String] {
        let url = SourceFile.projectURL(of: "Tests/ArchitectureTests/public-names.txt")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        let entries = lines.filter { !$0.hasPrefix("#") }.flatMap { line in
            let words = line.split(separator: " ").map(String.init)
            return words.dropFirst().map { ($0, words[0]) }
        }
        return Dictionary(entries) { first, _ in first }
    }
}
